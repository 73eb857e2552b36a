import type { Equivalent } from "../Equivalent.ts"

/** Of `http/loop`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/http/src/loop/Progress.ts",
    line: "known: { until: undefined, total: undefined },",
    original: "{ until: undefined, total: undefined }",
    replacement: "{}",
    reason: "A field that is absent is `undefined` as well."
  },
  {
    file: "packages/http/src/loop/Progress.ts",
    line: 'why: "",',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "The first answer writes it before it is read."
  },
  {
    file: "packages/http/src/loop/Progress.ts",
    line: "const reading = (progress.reading += 1)",
    original: "progress.reading += 1",
    replacement: "progress.reading -= 1",
    reason: "The numbers of readings only have to differ."
  },
  {
    file: "packages/http/src/loop/Progress.ts",
    line: "version === undefined || received === 0",
    original: "version === undefined",
    replacement: "false",
    reason: "Nothing was received then: the other case has ended above."
  },
  {
    file: "packages/http/src/loop/exchange/EventDetails.ts",
    line: "if (observers.length === 0) return observers",
    original: "observers.length === 0",
    replacement: "false",
    reason: "Mapping an empty list gives an empty list."
  },
  {
    file: "packages/http/src/loop/exchange/EventDetails.ts",
    line: '"server.address": url.hostname.replace(/^\\[(.*)\\]$/, "$1"),',
    original: "/^\\[(.*)\\]$/",
    replacement: "/\\[(.*)\\]$/",
    reason: "A host has brackets at both ends, or none."
  },
  {
    file: "packages/http/src/loop/exchange/EventDetails.ts",
    line: '"server.address": url.hostname.replace(/^\\[(.*)\\]$/, "$1"),',
    original: "/^\\[(.*)\\]$/",
    replacement: "/^\\[(.*)\\]/",
    reason: "A host has brackets at both ends, or none."
  },
  {
    file: "packages/http/src/loop/fetch/FetchCall.ts",
    line: "const web = latest?.web ?? Response.error()",
    original: "latest?.web",
    replacement: "latest.web",
    reason: "A call that has come to a response has received one; the compiler does not know it."
  },
  {
    file: "packages/http/src/loop/fetch/FetchCall.ts",
    line: "if (response === latest?.response || web.body === null) return web",
    original: "latest?.response",
    replacement: "latest.response",
    reason: "A call that has come to a response has received one; the compiler does not know it."
  },
  {
    file: "packages/http/src/loop/exchange/EventDetails.ts",
    line: 'return typeof status === "number" && Number.isInteger(status) && status >= 100 && status < 600 ? status : undefined',
    original: 'typeof status === "number"',
    replacement: "true",
    reason: "Nothing but a number is an integer; the compiler wants to know."
  },
  {
    file: "packages/http/src/loop/exchange/Exchange.ts",
    line: 'return judged._tag === "NotRepeatable" ? judged.why : undefined',
    original: 'judged._tag === "NotRepeatable"',
    replacement: "true",
    reason: "What is repeatable has no `why`."
  },
  {
    file: "packages/http/src/loop/exchange/Exchange.ts",
    line: "if (controller !== undefined) scopedRequests.set(changed, controller)",
    original: "controller !== undefined",
    replacement: "true",
    reason: "A controller that is `undefined` is as good as none to the platform."
  },
  {
    file: "packages/http/src/loop/exchange/Exchange.ts",
    line: "if (!Attempt.isWanted(policy)) return sent(exchange, send, request)",
    original: "!Attempt.isWanted(policy)",
    replacement: "false",
    reason: "What is known of the attempt is worked out and not used: it only takes longer."
  },
  {
    file: "packages/http/src/loop/exchange/Exchange.ts",
    line: "return opinion === undefined && HttpClassifier.isFine(classifier, response)",
    original: "opinion === undefined && HttpClassifier.isFine(classifier, response)",
    replacement: "false",
    reason: "The classifier says nothing of a response that is fine either: it only takes longer."
  },
  {
    file: "packages/http/src/loop/exchange/Exchange.ts",
    line: '(combined._tag === "Retryable" && Redirect.isPossible(exchange.request, outcome, redirects(exchange)))',
    original: 'combined._tag === "Retryable"',
    replacement: "true",
    reason: "Of what is not retryable nothing is asked that depends on it: it only takes longer."
  },
  {
    file: "packages/http/src/loop/exchange/Exchange.ts",
    line: 'exchange.throttled = verdict._tag === "Retryable" && verdict.kind === "Throttling"',
    original: 'verdict._tag === "Retryable"',
    replacement: "true",
    reason: "No other verdict has a kind that is a text."
  },
  {
    file: "packages/http/src/loop/exchange/Exchange.ts",
    line: 'return opinion._tag === "Retryable"',
    original: 'opinion._tag === "Retryable"',
    replacement: "false",
    reason: "A kind that is no option is left as it is where an option is looked for."
  },
  {
    file: "packages/http/src/loop/exchange/Exchange.ts",
    line: 'return opinion._tag === "Retryable"',
    original: '"Retryable"',
    replacement: '""',
    reason: "A kind that is no option is left as it is where an option is looked for."
  },
  {
    file: "packages/http/src/loop/policy/HttpPolicy.ts",
    line: 'Struct.omit(policy, "attemptHeaders", "beforeRetry", "classifier", "drain", "idempotency", "opinion")',
    original: '"classifier"',
    replacement: '""',
    reason: "Both callers replace it."
  },
  {
    file: "packages/http/src/loop/policy/Attempt.ts",
    line: "policy.attemptHeaders !== undefined || policy.beforeRetry !== undefined",
    original: "policy.attemptHeaders !== undefined || policy.beforeRetry !== undefined",
    replacement: "true",
    reason: "What is known of the attempt is worked out and not used: it only takes longer."
  },
  {
    file: "packages/http/src/loop/policy/Attempt.ts",
    line: "isWanted(policy) && (policy.attemptTimeout !== undefined || policy.deadline !== undefined)",
    original: "isWanted(policy) && (policy.attemptTimeout !== undefined || policy.deadline !== undefined)",
    replacement: "true",
    reason: "Core knows of an attempt what is known here as well: it only takes longer to ask."
  },
  {
    file: "packages/http/src/loop/policy/Attempt.ts",
    line: "isWanted(policy) && (policy.attemptTimeout !== undefined || policy.deadline !== undefined)",
    original: "isWanted(policy) && (policy.attemptTimeout !== undefined || policy.deadline !== undefined)",
    replacement: "isWanted(policy) || policy.attemptTimeout !== undefined || policy.deadline !== undefined",
    reason: "Core knows of an attempt what is known here as well: it only takes longer to ask."
  },
  {
    file: "packages/http/src/loop/policy/Attempt.ts",
    line: "isWanted(policy) && (policy.attemptTimeout !== undefined || policy.deadline !== undefined)",
    original: "policy.attemptTimeout !== undefined || policy.deadline !== undefined",
    replacement: "true",
    reason: "Core knows of an attempt what is known here as well: it only takes longer to ask."
  },
  {
    file: "packages/http/src/loop/exchange/Reader.ts",
    line: "if (millis === Infinity) return undefined",
    original: "millis === Infinity",
    replacement: "false",
    reason: "Such a timer never fires; leaving it out only saves work."
  },
  {
    file: "packages/http/src/loop/exchange/Reader.ts",
    line: 'answered && received?.verdict._tag === "Terminal" ? received.verdict : undefined',
    original: "received?.verdict",
    replacement: "received.verdict",
    reason: "What is answered has been judged; the compiler does not know it."
  },
  {
    file: "packages/http/src/loop/exchange/Retrying.ts",
    line: "if (!isAsking(context)) return own(fiber, undefined, send, request)",
    original: "!isAsking(context)",
    replacement: "false",
    reason: "What nothing has asked for is looked for, and not found: it only takes longer."
  },
  {
    file: "packages/http/src/loop/exchange/Retrying.ts",
    line: "unsafeMap.has(RequestOptions.CurrentOptions.key) || unsafeMap.has(Reading.CurrentReading.key)",
    original: "unsafeMap.has(RequestOptions.CurrentOptions.key) || unsafeMap.has(Reading.CurrentReading.key)",
    replacement: "true",
    reason: "What nothing has asked for is looked for, and not found: it only takes longer."
  },
  {
    file: "packages/http/src/loop/exchange/Retrying.ts",
    line: "const begin = isPlain(policy) && !stops ? afterFirst(loop, policy) : loop",
    original: "isPlain(policy) && !stops",
    replacement: "false",
    reason: "The loop begins with the first attempt instead of after it: it only takes longer."
  },
  {
    file: "packages/http/src/loop/exchange/Retrying.ts",
    line: "const run = reading === undefined ? begin : loop",
    original: "reading === undefined",
    replacement: "false",
    reason: "The loop begins with the first attempt instead of after it: it only takes longer."
  },
  {
    file: "packages/http/src/loop/exchange/ExchangePolicy.ts",
    line: "classifier: (_error, _moment) => Verdict.noOpinion,",
    original: "(_error, _moment) => Verdict.noOpinion",
    replacement: "() => undefined",
    reason: "Stands for the function of an exchange, which takes its place before an attempt."
  },
  {
    file: "packages/http/src/loop/exchange/ExchangePolicy.ts",
    line: "result: (_response: unknown, _moment) => Verdict.noOpinion,",
    original: "(_response: unknown, _moment) => Verdict.noOpinion",
    replacement: "() => undefined",
    reason: "Stands for the function of an exchange, which takes its place before an attempt."
  },
  {
    file: "packages/http/src/loop/exchange/ExchangePolicy.ts",
    line: "release: () => Effect.void",
    original: "() => Effect.void",
    replacement: "() => undefined",
    reason: "Stands for the function of an exchange, which takes its place before an attempt."
  },
  {
    file: "packages/http/src/loop/exchange/ExchangePolicy.ts",
    line: 'PolicyCheck.prepare("HttpRetry.withRetry", {',
    original: '"HttpRetry.withRetry"',
    replacement: '""',
    reason: "The policy has been checked under the name of its own function."
  }
]
