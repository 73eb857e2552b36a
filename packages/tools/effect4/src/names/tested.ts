/**
 * The tests that are derived for Effect 4 and run: files, and folders with all that is in them but what the omissions name.
 * A file that is not here is counted as left, and one that is here has to pass.
 */
export const tested: ReadonlyArray<string> = ["core/test", "plan/test", "testing/test"]
