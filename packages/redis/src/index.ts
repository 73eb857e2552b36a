export * as Store from "./fund/Store.ts"
