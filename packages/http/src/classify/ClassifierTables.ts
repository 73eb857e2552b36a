/**
 * The tables from which a classifier is made, and those of the standard one.
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
 * Tables of what is retryable. A row set to `undefined` is removed.
 *
 * @category models
 */
export interface Tables {
  /**
   * A status without a row is an answer below 500, and a failure that is not retryable from 500 on. If it comes as an
   * error, it is never retryable.
   */
  readonly statuses: { readonly [status: number]: Case | undefined }
  /**
   * Codes and names of transport errors, such as `ECONNRESET`, anywhere in the chain of causes; the outermost one with a row
   * counts. If the error says that the connection was still being made, nothing was sent, whatever the row says; if it
   * says that the connection was in use, it is unknown whether the request was processed.
   */
  readonly codes: { readonly [code: string]: Case | undefined }
  /**
   * A transport error with no row for any of its codes; `undefined` for not retryable. A request that `fetch` itself
   * refused, and a `TypeError` that does not come from the network, are never retryable, unless `codes` has a row
   * `TypeError`.
   */
  readonly transport: Case | undefined
  /** Headers that say how long to wait; the first one with a valid value wins. */
  readonly hints: ReadonlyArray<HintHeader.HintHeader>
  /**
   * Headers by which a server says whether to retry: the name of one with the value `true` or `false`, such as
   * `x-should-retry`, or a `Directive`. The first one with such a value takes precedence over the statuses. None of
   * them says that a request is safe to repeat.
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

/** A checked copy of the tables. Throws if a table has a value that its type cannot exclude. */
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
