/**
 * Prints what a compiler of TypeScript 5 says of the project in this folder, as `tsc` does, but asks it only about the
 * files that are ours: it takes half as long. Nothing is emitted.
 *
 *     tsx Diagnose.ts node_modules/typescript59/lib/typescript.js
 */
import { createRequire } from "node:module"
import { resolve } from "node:path"
import type ts from "typescript5"
import { isOurs } from "./Compiler.ts"

const [path = ""] = process.argv.slice(2)
const compiler = createRequire(import.meta.url)(resolve(path)) as typeof ts
const { config } = compiler.readConfigFile("tsconfig.json", compiler.sys.readFile)
const { errors, fileNames, options } = compiler.parseJsonConfigFileContent(config, compiler.sys, process.cwd())
const host = compiler.createCompilerHost(options)
// As `tsc` itself reads comments.
host.jsDocParsingMode = compiler.JSDocParsingMode.ParseForTypeErrors
const program = compiler.createProgram({ rootNames: fileNames, options, host })
const found = [
  ...errors,
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...program
    .getSourceFiles()
    .filter(({ fileName }) => isOurs(fileName))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
]
console.log(compiler.formatDiagnostics(found, host))
process.exitCode = found.length > 0 ? 2 : 0
