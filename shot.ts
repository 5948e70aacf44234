import { chromium } from "playwright-core";
const [,, url="http://127.0.0.1:4111/", out="/tmp/shot.png", w="1440", h="900", look="", user="", pass="", scheme="light"] = process.argv;
const b = await chromium.launch({executablePath:"/usr/bin/chromium", args:["--no-sandbox","--use-gl=angle","--use-angle=swiftshader","--enable-unsafe-swiftshader","--disable-dev-shm-usage"]});
const ctx = await b.newContext({viewport:{width:+w,height:+h}, locale:"en", colorScheme: scheme as "light"});
const p = await ctx.newPage();
p.on("console", m=> console.log("console", m.type(), m.text()));
p.on("pageerror", e=> console.log("ERROR", e.name, e.message, e.stack?.slice(0,600)));
p.on("requestfailed", r=> console.log("failed", r.url(), r.failure()?.errorText));
if (look) await p.addInitScript(`localStorage.setItem("fairlead.look","${look}")`);
await p.goto(url);
if (user) { await p.getByLabel("Username or email address").fill(user); await p.getByLabel("Password").fill(pass); await p.getByRole("button",{name:"Sign in"}).click(); await p.waitForTimeout(1000); if (url.includes("#")) await p.evaluate((h)=>{location.hash=h}, url.split("#")[1]); }
await p.waitForTimeout(+(process.env.WAIT ?? 10000));
await p.screenshot({path:out});
await b.close();
