/** Files that the bundler embeds: `with { type: "text" }` gives the content, `with { type: "file" }` a path. */
declare module "*.sql" {
  const content: string;
  export default content;
}
declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}
declare module "*.csv.gz" {
  const path: string;
  export default path;
}
declare module "*.pmtiles" {
  const path: string;
  export default path;
}
declare module "*.ttf" {
  const path: string;
  export default path;
}
declare module "*/swagger-start.js" {
  const content: string;
  export default content;
}
declare module "*/graphiql.css" {
  const content: string;
  export default content;
}
declare module "*/swagger-style.css" {
  const content: string;
  export default content;
}
declare module "*.proto" {
  const content: string;
  export default content;
}
declare module "*/icon.svg" {
  const content: string;
  export default content;
}
declare module "*/css/base.css" {
  const content: string;
  export default content;
}
declare module "*/css/parts.css" {
  const content: string;
  export default content;
}
declare module "*/css/shell.css" {
  const content: string;
  export default content;
}
declare module "*/pages.css" {
  const content: string;
  export default content;
}
declare module "*/look.js" {
  const content: string;
  export default content;
}
declare module "*/ceremony.js" {
  const content: string;
  export default content;
}
declare module "*/ask-passkey.js" {
  const content: string;
  export default content;
}
