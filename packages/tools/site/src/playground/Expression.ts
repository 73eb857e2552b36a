/**
 * An expression of calls and records, such as a policy is written in: one value that is printed as code and evaluated by the
 * packages, so that the code on the page is the policy on the page. Pure.
 */

export type Expression =
  | { readonly _tag: "Value"; readonly value: string | number | boolean }
  /** A member of a module, such as `Jitter.full`. */
  | { readonly _tag: "Member"; readonly module: string; readonly name: string }
  | { readonly _tag: "Call"; readonly module: string; readonly name: string; readonly args: ReadonlyArray<Expression> }
  | { readonly _tag: "Pipe"; readonly self: Expression; readonly steps: ReadonlyArray<Expression> }
  | { readonly _tag: "Fields"; readonly fields: Readonly<Record<string, Expression>> }

export const value = (value: string | number | boolean): Expression => ({ _tag: "Value", value })

/** `member("Jitter.full")` */
export const member = (path: string): Expression => ({ _tag: "Member", ...split(path) })

/** `call("Backoff.capped", value("2 seconds"))` */
export const call = (path: string, ...args: ReadonlyArray<Expression>): Expression => ({
  _tag: "Call",
  ...split(path),
  args
})

/** A pipe without steps is the expression itself. */
export const pipe = (self: Expression, ...steps: ReadonlyArray<Expression>): Expression =>
  steps.length === 0 ? self : { _tag: "Pipe", self, steps }

export const fields = (fields: Readonly<Record<string, Expression>>): Expression => ({ _tag: "Fields", fields })

const split = (path: string): { readonly module: string; readonly name: string } => {
  const [module = "", name = ""] = path.split(".")
  return { module, name }
}

/** The modules that an expression names, in the order of the alphabet. */
export const modulesOf = (self: Expression): ReadonlyArray<string> => {
  switch (self._tag) {
    case "Value":
      return []
    case "Member":
      return [self.module]
    case "Call":
      return merged([[self.module], ...self.args.map(modulesOf)])
    case "Pipe":
      return merged([self.self, ...self.steps].map(modulesOf))
    case "Fields":
      return merged(Object.values(self.fields).map(modulesOf))
  }
}

const merged = (names: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  [...new Set(names.flat())].toSorted()

type Modules = Readonly<Record<string, unknown>>

/** The value of an expression. Throws where a module has no such member. */
export const evaluate = (self: Expression, modules: Modules): unknown => {
  switch (self._tag) {
    case "Value":
      return self.value
    case "Member":
      return memberOf(modules, self.module, self.name)
    case "Call":
      return apply(memberOf(modules, self.module, self.name), ...self.args.map((arg) => evaluate(arg, modules)))
    case "Pipe":
      return self.steps.reduce((piped, step) => apply(evaluate(step, modules), piped), evaluate(self.self, modules))
    case "Fields":
      return Object.fromEntries(Object.entries(self.fields).map(([field, one]) => [field, evaluate(one, modules)]))
  }
}

const memberOf = (modules: Modules, module: string, name: string): unknown => {
  const found = Object.hasOwn(modules, module) ? (modules[module] as Modules) : {}
  if (Object.hasOwn(found, name)) return found[name]
  throw new RangeError(`${module}.${name} is no member that the playground knows`)
}

const apply = (callee: unknown, ...args: ReadonlyArray<unknown>): unknown =>
  (callee as (...args: ReadonlyArray<unknown>) => unknown)(...args)

const width = 80

/** The code of an expression, on one line where it fits. */
export const print = (self: Expression, indent = ""): string => {
  const line = inLine(self)
  return indent.length + line.length <= width && self._tag !== "Fields" ? line : inLines(self, indent)
}

const inLine = (self: Expression): string => {
  switch (self._tag) {
    case "Value":
      return typeof self.value === "string" ? JSON.stringify(self.value) : numberOf(self.value)
    case "Member":
      return `${self.module}.${self.name}`
    case "Call":
      return `${self.module}.${self.name}(${self.args.map(inLine).join(", ")})`
    case "Pipe":
      return `${inLine(self.self)}.pipe(${self.steps.map(inLine).join(", ")})`
    case "Fields":
      return `{ ${entriesOf(self)
        .map(([field, one]) => `${field}: ${inLine(one)}`)
        .join(", ")} }`
  }
}

const inLines = (self: Expression, indent: string): string => {
  const deeper = `${indent}  `
  const block = (open: string, lines: ReadonlyArray<string>, close: string) =>
    `${open}\n${lines.map((line) => `${deeper}${line}`).join(",\n")}\n${indent}${close}`
  switch (self._tag) {
    case "Pipe":
      return block(
        `${inLine(self.self)}.pipe(`,
        self.steps.map((step) => print(step, deeper)),
        ")"
      )
    case "Fields":
      return block(
        "{",
        entriesOf(self).map(([field, one]) => `${field}: ${printed(one, deeper)}`),
        "}"
      )
    default:
      return inLine(self)
  }
}

/** A record inside of another one stays on its line. */
const printed = (self: Expression, indent: string): string =>
  self._tag === "Fields" ? inLine(self) : print(self, indent)

const entriesOf = (self: Expression & { readonly _tag: "Fields" }) => Object.entries(self.fields)

const numberOf = (value: number | boolean): string =>
  typeof value === "number" && Number.isInteger(value) && value >= 10_000
    ? String(value).replace(/\B(?=(?:\d{3})+$)/g, "_")
    : String(value)
