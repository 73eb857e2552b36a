/**
 * Reads the configuration of faults strictly. Values may come from a secret store by mistake, so a refusal never shows one.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as ConfigLine from "@effect-retry/core/unstable/ConfigLine"
import * as ConfigText from "@effect-retry/core/unstable/ConfigText"
import * as Config from "effect/Config"
import * as Either from "effect/Either"
import * as Option from "effect/Option"

const owner = "Faults.configured"

interface Found {
  readonly ratio?: number | undefined
  readonly seed?: string | undefined
  readonly maxInFlight?: number | undefined
}

/** Parses the text of a key; throws for a text that it cannot read. */
type Parse<A> = (key: string, text: string) => A

const isEnabled: Parse<boolean> = (key, text) =>
  Argument.oneOf(owner, key, text.trim().toLowerCase(), ["true", "false"]) === "true"

const ratio: Parse<number> = (key, text) => Argument.number(owner, key, ConfigText.asNumber(text), { min: 0, max: 1 })

const seed: Parse<string> = (key, text) => (text === "" ? Argument.refuse(owner, key, "a text", text) : text)

const maxInFlight: Parse<number> = (key, text) =>
  Argument.number(owner, key, ConfigText.asNumber(text), { min: 1, integer: true })

type Texts = Readonly<Record<"enabled" | "ratio" | "seed" | "maxInFlight", ConfigText.Texts>>

/** The values of the texts, and the refused ones. */
const read = (about: string, texts: Texts) => {
  const refused: Array<ReturnType<typeof ConfigLine.refusal>> = []
  const parsed = <A>(key: keyof Texts, parse: Parse<A>): A | undefined => {
    const text = Option.getOrUndefined(ConfigText.textOf(texts[key]))
    const value = ConfigText.refusalOf(() => (text === undefined ? undefined : parse(key, text)))
    if (Either.isRight(value)) return value.right
    const isVariable = Option.isSome(texts[key].variable)
    const name = isVariable ? ConfigText.variableOf(about, key) : ConfigText.pathOf(about, key)
    refused.push(ConfigLine.refusal([name], `${owner}: ${name} must be ${value.left.allowed}`))
    return undefined
  }
  const isOn = parsed("enabled", isEnabled)
  if (isOn !== true && refused.length === 0) return { refused, found: undefined }
  const found: Found = {
    ratio: parsed("ratio", ratio),
    seed: parsed("seed", seed),
    maxInFlight: parsed("maxInFlight", maxInFlight)
  }
  return { refused, found }
}

/** The options if faults are enabled; otherwise `undefined`. */
export const config = (name: string): Config.Config<Found | undefined> => {
  const about = ConfigText.named(owner, name)
  const texts = (key: keyof Texts) => ConfigText.texts(about, key)
  const all: Config.Config<Texts> = Config.all({
    enabled: texts("enabled"),
    ratio: texts("ratio"),
    seed: texts("seed"),
    maxInFlight: texts("maxInFlight")
  })
  return ConfigLine.checked(
    Config.map(all, (texts) => read(about, texts)),
    ({ refused }) => refused,
    ({ found }) => found
  )
}
