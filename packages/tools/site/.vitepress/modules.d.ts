declare module "*.vue" {
  const component: import("vue").Component
  export default component
}

declare module "*.css" {}

/** The address of a file that pages and workers load. */
declare module "*?worker&url" {
  const address: string
  export default address
}
