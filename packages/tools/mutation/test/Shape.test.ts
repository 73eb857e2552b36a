import { describe, expect, it } from "vitest"
import { change, declarationAt } from "../src/Shape.ts"

describe("change", () => {
  it.each([
    ["EqualityOperator", "level > 1e-6 * cost", "level >= 1e-6 * cost", "> to >="],
    ["ArithmeticOperator", "1 - Number.EPSILON / 2", "1 + Number.EPSILON / 2", "- to +"],
    ["LogicalOperator", "a(b && c) && d", "a(b && c) || d", "&& to ||"],
    ["OptionalChaining", "deadline?._tag", "deadline._tag", "?. to ."],
    ["UnaryOperator", "-Infinity", "+Infinity", "- to +"],
    ["ConditionalExpression", 'part._tag === "ResetAfter"', "true", "=== to true"],
    ["ConditionalExpression", "found(a > b) || c < d", "false", "|| to false"],
    ["ConditionalExpression", "found(a > b)", "false", "call to false"],
    ["ConditionalExpression", "self.parted", "true", "name to true"],
    ["ConditionalExpression", "!self.parted", "false", "! to false"],
    ["BooleanLiteral", "true", "false", "true to false"],
    ["StringLiteral", '"Ignore"', '""', 'text to ""'],
    ["BlockStatement", "{ return a < b }", "{}", "block to {}"],
    ["ArrayDeclaration", "[a, b]", "[]", "list to []"],
    ["ArrowFunction", "(a) => b(a)", "() => undefined", "=> to =>"],
    ["Regex", "/^a/", "/a/", "^ to nothing"]
  ])("of %s from `%s` to `%s` is `%s`", (mutator, original, replacement, expected) => {
    expect(change(mutator, original, replacement)).toBe(expected)
  })

  it("does not depend on names", () => {
    const [one, other] = ["level", "tokens"].map((name) => change("EqualityOperator", `${name} > 1`, `${name} >= 1`))
    expect(one).toBe(other)
  })
})

describe("declarationAt", () => {
  const source = [
    'import a from "a"',
    "export const first = () => {",
    "  const inner = 1",
    "}",
    "class Second {",
    "  method() {}",
    "}",
    "export function third(): void {}"
  ].join("\n")

  it.each([
    [1, ""],
    [2, "first"],
    [3, "first"],
    [5, "Second"],
    [6, "Second"],
    [8, "third"]
  ])("of line %s is `%s`", (line, expected) => {
    expect(declarationAt(source, line)).toBe(expected)
  })
})
