export * as StatusCode from "./accept/StatusCode.ts"
