/**
 * The tables that a classifier is made from, and those of the standard one.
 */
import { Verdict } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Predicate from "effect/Predicate"
import * as Token from "../accept/Token.ts"
import { type Case, processings } from "./Case.ts"
import * as Directive from "./Directive.ts"
import * as HintHeader from "./HintHeader.ts"
import * as StandardCases from "./StandardCases.ts"

/**
 * Tables of what is retryable. A row taken out with `undefined` is not.
 *
 * @category models
 */
export interface Tables {
  /** A status without a row is an answer below 500, and not retryable from there on; as an error, none is. */
  readonly statuses: { readonly [status: number]: Case | undefined }
  /**
   * Codes and names of transport errors, such as `ECONNRESET`, wherever in the chain of causes: the outermost with a
   * row counts. Where the error says that the connection was still being made, nothing was sent, whatever the row says;
   * where it says that the connection was in use, it is not known.
   */
  readonly codes: { readonly [code: string]: Case | undefined }
  /**
   * A transport error none of whose codes has a row. `undefined`: not retryable, as it is where `fetch` itself refused the
   * request, or where it is a `TypeError` that is not one of the network; a row `TypeError` of `codes` goes before that.
   */
  readonly transport: Case | undefined
  /** Headers that say how long to wait, the first one with a valid value wins. */
  readonly hints: ReadonlyArray<HintHeader.HintHeader>
  /**
   * Headers by which a server says whether to retry: the name of one with the value `true` or `false`, such as
   * `x-should-retry`, or a `Directive`. The first one that says so wins over the statuses. None of them says that a
   * request is safe to repeat.
   */
  readonly directives: ReadonlyArray<string | Directive.Directive>
}

/**
 * The tables of `standard`.
 *
 * Source of `x-should-retry`: https://github.com/openai/openai-node.
 *
 * @category constructors
 */
export const standardTables: Tables = {
  statuses: StandardCases.statuses,
  codes: StandardCases.codes,
  transport: { kind: "Transient" },
  hints: HintHeader.standard,
  directives: ["x-should-retry", Directive.grpcRetryPushback]
}

/** A copy of the tables. Throws where a table has a value that its type cannot exclude. */
export const checked = (owner: string, tables: Tables): Tables => {
  if (!Predicate.isRecord(tables)) return Argument.refuse(owner, "tables", "a record of tables", tables)
  const { codes, directives, hints, statuses, transport } = tables
  for (const [status, row] of rows(owner, "statuses", statuses)) {
    Argument.number(owner, "statuses", Number(status), { min: 100, max: 599, integer: true })
    checkCase(owner, `statuses[${status}]`, row)
  }
  for (const [code, row] of rows(owner, "codes", codes)) checkCase(owner, `codes[${code}]`, row)
  checkCase(owner, "transport", transport)
  if (!Array.isArray(hints) || !hints.every(isHintHeader)) {
    return Argument.refuse(owner, "hints", "a list of header readers", hints)
  }
  Token.list(owner, "directives", directives, (owner, field, given) =>
    Token.header(owner, field, Directive.isDirective(given) ? given.name : given)
  )
  return { statuses: { ...statuses }, codes: { ...codes }, transport, hints: [...hints], directives: [...directives] }
}

const rows = (owner: string, field: string, table: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Predicate.isRecord(table) ? Object.entries(table) : Argument.refuse(owner, field, "a table", table)

const checkCase = (owner: string, field: string, row: unknown): void => {
  if (row === undefined) return
  if (!Predicate.isRecord(row)) return Argument.refuse(owner, field, "a case or undefined", row)
  const { hinted, kind, processing } = row
  if (kind !== undefined) Argument.oneOf(owner, `${field}.kind`, kind, Verdict.kinds)
  if (hinted !== undefined) Argument.oneOf(owner, `${field}.hinted`, hinted, Verdict.kinds)
  if (processing !== undefined) Argument.oneOf(owner, `${field}.processing`, processing, processings)
}

const isHintHeader = (hint: unknown): boolean =>
  Predicate.hasProperty(hint, "name") && Predicate.hasProperty(hint, "read") && Predicate.isFunction(hint.read)
