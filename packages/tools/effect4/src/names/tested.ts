/**
 * The tests that are derived for Effect 4 and run: files, and folders with all that is in them but what the omissions name.
 * A file that is not here, or that is in the list below, is counted as left; any other has to pass.
 */
export const tested: ReadonlyArray<string> = ["core/test", "plan/test", "testing/test", "http/test"]

/** The files with tests, in these folders, that are not derived yet. */
export const notYet: ReadonlyArray<string> = [
  "http/test/classify/TransportSockets.test.ts",
  "http/test/loop/Credentials.test.ts",
  "http/test/loop/Http2Sockets.test.ts",
  "http/test/loop/PacedSockets.test.ts",
  "http/test/loop/ProxySockets.test.ts",
  "http/test/loop/ReadingSockets.test.ts",
  "http/test/loop/RetryTransient.test.ts",
  "http/test/loop/Sockets.test.ts",
  "http/test/loop/TlsSockets.test.ts",
  "http/test/loop/fetch/FetchInit.test.ts",
  "http/test/loop/policy/Connections.test.ts"
]
