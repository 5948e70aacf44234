/**
 * The runtime's server with next to nothing of ours: it receives the body of any request and refuses it. An attack with bodies
 * costs it as much as the runtime itself takes: see `expectBodiesToHoldLittle`. Prints its address.
 */
const MOST = 32 * 1024 * 1024;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  maxRequestBodySize: MOST,
  async fetch(request) {
    if (request.url.endsWith("/health/live")) return new Response();
    await request.bytes();
    return new Response(null, { status: 400 });
  },
});
process.stdout.write(`${server.url.origin}\n`);
