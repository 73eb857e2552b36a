/**
 * Removes from a text what may be secret: user info, values of queries and assignments, credentials, keys, bodies.
 *
 * A text is read once, from left to right, word by word. A word is shown if its kind is known to be harmless; everything
 * else becomes `REDACTED`. At most 1,024 characters of a text are read, and 200 are shown.
 */
import { isKey, longestWord } from "./SafeName.ts"

const redacted = "REDACTED"

/** The longest text that is read. */
const longestRead = 1024

/** The longest text that is shown. */
const longestShown = 200

/** With more secrets and URLs than this, nothing of a text is shown, so that the time stays linear. */
const mostKnown = 256

/** The first 200 characters of a text. No surrogate pair is cut in half. */
export const cut = (text: string): string => upTo(text, longestShown)

const upTo = (text: string, most: number): string => {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

/** What is known in advance about the texts in an error. */
export interface Known {
  /** Texts that are secret wherever they appear, such as the value of a header. */
  readonly secrets?: ReadonlyArray<string>
  /** URLs that are found in a text even if they contain blanks and quotes. */
  readonly urls?: ReadonlyArray<string>
}

/**
 * A text without what may be secret.
 *
 * Shown are words, numbers, codes, hosts and paths, and quoted names. Not shown are: the user info, the values of the
 * query and the fragment of a URL; text before an `@`, after a `=` and after the name of a credential; words that look
 * like keys and tokens; quotations of several words; and everything after a `{` or an HTML tag. With more than 256
 * different secrets and URLs, nothing is shown.
 */
export const message = (given: string, { secrets, urls }: Known = {}): string => {
  const known = { secrets: [...new Set(secrets)], urls: [...new Set(urls)] }
  if (known.secrets.length + known.urls.length > mostKnown) return redacted
  const most = longestRead + longestOf(known)
  const whole = withoutKnown(given.slice(0, most), known)
  const read = upTo(whole, longestRead)
  // Half of a secret may not look like one.
  const isCut = given.length > most || read.length < whole.length
  return cut(words(isCut ? read.slice(0, lastBlank(read) + 1) : read))
}

const longestOf = ({ secrets, urls }: Required<Known>): number =>
  [...secrets, ...urls].reduce((longest, { length }) => Math.max(longest, length), 0)

const withoutKnown = (text: string, { secrets, urls }: Required<Known>): string => {
  const shown = urls.reduce((text, known) => (known === "" ? text : text.replaceAll(known, () => url(known))), text)
  return secrets
    .filter((secret) => secret !== "")
    .toSorted((one, other) => other.length - one.length)
    .reduce((text, secret) => text.replaceAll(secret, redacted), shown)
}

const lastBlank = (text: string): number => {
  let at = text.length - 1
  while (at >= 0 && !isBlank(text.charCodeAt(at))) at -= 1
  return at
}

/** What the last word says about the next one. */
type Expects = "anything" | "perhaps a secret" | "a secret"

const words = (text: string): string => {
  const shown: Array<string> = []
  let expects: Expects = "anything"
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (isBlank(code)) {
      shown.push(text.charAt(at))
      at += 1
      continue
    }
    if (expects === "a secret") {
      const end = endOfLine(text, at)
      shown.push(redacted)
      expects = "anything"
      at = end
      continue
    }
    if (beginsBody(text, at)) return [...shown, redacted].join("")
    if (isQuote(code)) {
      const close = text.indexOf(text.charAt(at), at + 1)
      const end = close === -1 ? text.length : close
      const inner = text.slice(at + 1, end)
      shown.push(text.charAt(at), quoted(inner, expects), text.slice(end, end + 1))
      expects = next(inner, text.startsWith(":", end + 1))
      at = end + 1
      continue
    }
    const end = endOfWord(text, at)
    const found = text.slice(at, end)
    shown.push(word(found, expects))
    expects = next(found, false)
    at = end
  }
  return shown.join("")
}

/** White space and control characters. */
const isBlank = (code: number): boolean => code <= 0x20 || (code >= 0x7f && code <= 0xa0) || code === 0x2028

const isQuote = (code: number): boolean => code === 0x22 || code === 0x27 || code === 0x60

const isLetter = (code: number): boolean => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf("\n", from)
  return end === -1 ? text.length : end
}

/** A word ends at a blank, or at a character that may begin a quotation or a body. An apostrophe inside a word is part of it. */
const endOfWord = (text: string, from: number): number => {
  let at = from + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (isBlank(code) || code === 0x22 || code === 0x60 || code === 0x3c || code === 0x7b) return at
    if (code === 0x27 && !isLetter(text.charCodeAt(at - 1))) return at
    at += 1
  }
  return at
}

/** `{` of an object and `<` of a tag; not `<https://…>`, nor a `<` that compares. */
const beginsBody = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  if (code === 0x7b) return true
  if (code !== 0x3c) return false
  const after = text.charAt(at + 1)
  if (after === "!" || after === "?" || after === "/") return true
  if (!isLetter(text.charCodeAt(at + 1))) return false
  let end = at + 1
  while (isLetter(text.charCodeAt(end))) end += 1
  return text.charAt(end) !== ":"
}

const quoted = (inner: string, expects: Expects): string =>
  inner === "" ? "" : hasBlank(inner) ? redacted : word(inner, expects)

const hasBlank = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (isBlank(text.charCodeAt(at))) return true
  return false
}

/** The last word of the names under which credentials are sent. */
const credentials: ReadonlySet<string> = /*#__PURE__*/ new Set(
  (
    "auth authorization basic bearer cookie credential credentials digest jwt key pass passphrase passwd password pwd " +
    "secret session sid signature token"
  ).split(" ")
)

/** Names of credentials that may be the end of a longer name written as one word. */
const endings = [
  "authorization",
  "cookie",
  "credential",
  "credentials",
  "password",
  "secret",
  "signature",
  "token",
  "key"
]

/** The name of a credential is a separate word, or the last of several: `x-api-key`, `accessToken`. */
const isCredential = (name: string): boolean => {
  const plain = trimmed(name).toLowerCase()
  let start = plain.length
  while (isLetter(plain.charCodeAt(start - 1))) start -= 1
  const last = plain.slice(start)
  return credentials.has(last) || plain.endsWith("upload_id") || endings.some((ending) => last.endsWith(ending))
}

const next = (found: string, isNamed: boolean): Expects => {
  if (found.length > longestWord || !isCredential(found)) return "anything"
  const last = found.charAt(found.length - 1)
  if (isNamed || last === ":" || last === "=") return "a secret"
  return trimmed(found).toLowerCase() === "bearer" ? "a secret" : "perhaps a secret"
}

/** A word without the brackets and punctuation around it. */
const trimmed = (found: string): string => {
  const [start, end] = bounds(found)
  return found.slice(start, end)
}

const bounds = (found: string): readonly [start: number, end: number] => {
  let start = 0
  while (start < found.length && "([<".includes(found.charAt(start))) start += 1
  let end = found.length
  while (end > start && ")]>.,;:!?".includes(found.charAt(end - 1))) end -= 1
  return [start, end]
}

const word = (found: string, expects: Expects): string => {
  const [start, end] = bounds(found)
  const inner = found.slice(start, end)
  const shown = inner === "" ? "" : expects !== "anything" && !isLowerCase(inner) ? redacted : plain(inner)
  return found.slice(0, start) + shown + found.slice(end)
}

/** Whether a word is an ordinary word of a sentence. */
const isLowerCase = (found: string): boolean => {
  for (let at = 0; at < found.length; at++) {
    const code = found.charCodeAt(at)
    if (!(code >= 0x61 && code <= 0x7a)) return false
  }
  return true
}

const plain = (found: string): string => {
  if (found.includes("://") || found.startsWith("//")) return withoutKeys(url(found))
  if (found.lastIndexOf("@") > 0) return `${redacted}@${known(found.slice(found.lastIndexOf("@") + 1))}`
  if (found.includes("?") || found.includes("#")) return withoutKeys(url(found))
  if (found.includes("=")) return assigned(found)
  const colon = found.indexOf(":")
  if (colon > 0 && isCredential(found.slice(0, colon))) return `${found.slice(0, colon + 1)}${redacted}`
  return known(found)
}

/** One or more `name=value`: only the names are shown. */
const assigned = (found: string): string =>
  found
    .split("&")
    .map((part) => {
      const sign = part.indexOf("=")
      if (sign === -1) return known(part)
      return part.length === sign + 1 ? part : `${known(part.slice(0, sign))}=${redacted}`
    })
    .join("&")

const known = (found: string): string => (isKey(found) ? redacted : found)

/** The path of a URL without segments that look like keys: such a segment can grant access. */
const withoutKeys = (address: string): string => {
  const query = address.indexOf("?")
  const end = query === -1 ? address.length : query
  return `${address.slice(0, end).split("/").map(known).join("/")}${address.slice(end)}`
}

/**
 * A URL, or a part of one such as `/path?key=value`, without user, password, query values and fragment.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/registry/attributes/url/, `url.full`, which has REDACTED for user
 * and password, read 2026-11-20.
 */
export const url = (given: string): string => {
  const fragment = given.indexOf("#")
  const end = fragment === -1 ? given.length : fragment
  const mark = given.indexOf("?")
  const start = mark === -1 || mark > end ? end : mark
  const query = given.slice(start + 1, end)
  return [
    withoutUser(given.slice(0, start)),
    start === end ? "" : `?${query.split("&").map(withoutValue).join("&")}`,
    given.length > end + 1 ? `#${redacted}` : given.slice(end)
  ].join("")
}

/** A part without a `=` may itself be a secret, as in `?token`; `?` and `&` are kept. */
const withoutValue = (part: string): string => (part === "" ? "" : `${part.slice(0, part.indexOf("=") + 1)}${redacted}`)

/** Also handles `http:user@host`, `//user@host` and backslashes, which URL parsers accept. A path has no user. */
const withoutUser = (address: string): string => {
  const start = startOfAuthority(address)
  if (start === -1) return address
  let end = start
  while (end < address.length && !isSlash(address.charAt(end))) end += 1
  const user = address.lastIndexOf("@", end - 1)
  return user < start ? address : `${address.slice(0, start)}${redacted}${address.slice(user)}`
}

const startOfAuthority = (address: string): number => {
  let at = 0
  while (at < address.length && !isSlash(address.charAt(at)) && address.charAt(at) !== ":") at += 1
  const hasScheme = address.charAt(at) === ":"
  if (!hasScheme && at > 0) return -1
  const slashes = hasScheme ? at + 1 : 0
  let start = slashes
  while (isSlash(address.charAt(start))) start += 1
  return hasScheme || start - slashes >= 2 ? start : -1
}

const isSlash = (char: string): boolean => char === "/" || char === "\\"
