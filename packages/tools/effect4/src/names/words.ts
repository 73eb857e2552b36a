/** What prose says of Effect 3, as it is said of Effect 4. */
export const words: Readonly<Record<string, string>> = {
  "Context.GenericTag": "Context.Service",
  "Context.Tag": "Context.Service",
  "Effect.runtime": "Effect.context"
}
