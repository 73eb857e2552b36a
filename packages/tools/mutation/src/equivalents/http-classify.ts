import type { Equivalent } from "../Equivalent.ts"

/** Of `http/classify`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/http/src/classify/ContentRange.ts",
    line: 'const [, first, last, length] = form.exec(value?.trim() ?? "") ?? []',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "Neither text is a range."
  },
  {
    file: "packages/http/src/classify/ContentRange.ts",
    line: 'const [, first, last, length] = form.exec(value?.trim() ?? "") ?? []',
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "The first element of a match is not looked at."
  },
  {
    file: "packages/http/src/classify/Directive.ts",
    line: 'const word = value.length <= 100 ? value.trim().toLowerCase() : ""',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "Neither text is `true` or `false`."
  },
  {
    file: "packages/http/src/classify/HintHeader.ts",
    line: "return value === undefined ? undefined : parse(value, nowMillis)",
    original: "value === undefined",
    replacement: "false",
    reason: "No header is read from the text `undefined` either."
  },
  {
    file: "packages/http/src/classify/HintHeader.ts",
    line: "headers[remainingName] === undefined || (remaining !== undefined && ResetDialects.isExhausted(remaining))",
    original: "remaining !== undefined",
    replacement: "true",
    reason: "The text `undefined` is no 0 either."
  },
  {
    file: "packages/http/src/classify/HintHeader.ts",
    line: "return reset !== undefined && isHint ? parse(reset, nowMillis) : undefined",
    original: "reset !== undefined",
    replacement: "true",
    reason: "No header is read from the text `undefined` either."
  },
  {
    file: "packages/http/src/classify/HintHeader.ts",
    line: 'return value === undefined ? undefined : RateLimitFields.parse(value, readable(headers, "ratelimit-policy"))',
    original: "value === undefined",
    replacement: "false",
    reason: "What is no text is no list either."
  },
  {
    file: "packages/http/src/classify/HintHeader.ts",
    line: "const nowMillis = (date === undefined ? undefined : HttpDate.parse(date, clockMillis)) ?? clockMillis",
    original: "date === undefined",
    replacement: "false",
    reason: "The text `undefined` is no date either."
  },
  {
    file: "packages/http/src/classify/HintHeader.ts",
    line: "if (millis !== undefined && millis >= 0) return { header: hint.name, millis }",
    original: "millis !== undefined",
    replacement: "true",
    reason: "`undefined` is not above any number."
  },
  {
    file: "packages/http/src/classify/HttpClassifier.ts",
    line: 'if (typeof status !== "number" || !Number.isInteger(status)) return unjudged',
    original: 'typeof status !== "number"',
    replacement: "false",
    reason: "Nothing but a number is an integer; the compiler wants to know."
  },
  {
    file: "packages/http/src/classify/RateLimitFields.ts",
    line: 'export const parse = (rateLimit: string, rateLimitPolicy = ""): number | undefined => {',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "Neither text is a list with policies."
  },
  {
    file: "packages/http/src/classify/Transport.ts",
    line: 'const http2Code = (code: string | undefined, message = ""): string | undefined => {',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "Neither text is a message of Node or undici."
  },
  {
    file: "packages/http/src/classify/Transport.ts",
    line: "default:",
    original: "default: return undefined",
    replacement: "default:",
    reason: "A function that only ends comes to `undefined` as well."
  }
]
