export * as StatusCode from "./accept/StatusCode.ts"
export * as Checksum from "./classify/Checksum.ts"
export * as UploadVerdict from "./decide/UploadVerdict.ts"
