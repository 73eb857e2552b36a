import type { Equivalent } from "../Equivalent.ts"

/** Of `http/decide`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/http/src/decide/ByteRange.ts",
    line: "const [, first, last, suffix] = form.exec(value.trim()) ?? []",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "The first element of a match is not looked at."
  },
  {
    file: "packages/http/src/decide/ByteRange.ts",
    line: 'return total !== undefined && start === Math.max(0, total - asked.suffix) ? total : "Other"',
    original: "total !== undefined",
    replacement: "true",
    reason: "No start is NaN, which is what a length that is not known comes to."
  },
  {
    file: "packages/http/src/decide/Redirect.ts",
    line: "other !== request &&",
    original: "other !== request",
    replacement: "true",
    reason: "A request has the method and the URL that it has: the check only saves work."
  },
  {
    file: "packages/http/src/decide/Redirect.ts",
    line: "for (let inner = response, depth = 0; inner !== undefined && depth < mostWrapped; depth++) {",
    original: "inner !== undefined",
    replacement: "true",
    reason: "Nothing has no properties: the loop only ends later."
  },
  {
    file: "packages/http/src/decide/Redirect.ts",
    line: "for (let error = cause, depth = 0; error !== undefined && depth < mostCauses; depth++) {",
    original: "error !== undefined",
    replacement: "true",
    reason: "Nothing has no properties: the loop only ends later."
  },
  {
    file: "packages/http/src/decide/RequestBody.ts",
    line: 'case "Empty":',
    original: '"Empty"',
    replacement: '""',
    reason: "A body of no case comes to `undefined` as well; the compiler wants all cases."
  },
  {
    file: "packages/http/src/decide/RequestBody.ts",
    line: 'case "Uint8Array":',
    original: '"Uint8Array"',
    replacement: '""',
    reason: "A body of no case comes to `undefined` as well; the compiler wants all cases."
  },
  {
    file: "packages/http/src/decide/RequestBody.ts",
    line: 'case "FormData":',
    original: '"FormData"',
    replacement: '""',
    reason: "A body of no case comes to `undefined` as well; the compiler wants all cases."
  },
  {
    file: "packages/http/src/decide/Resumption.ts",
    line: 'if (/^\\s*multipart\\/byteranges/i.test(headers["content-type"] ?? "")) return "several parts in one body"',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "Neither text is the type of several parts."
  }
]
