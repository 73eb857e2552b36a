/** Several programs in one process, one after another. */
import { join } from "node:path"
import { type Place, type Ran, runIn } from "../Command.ts"
import { root } from "../Workspace.ts"

const script = join(root, "packages/tools/check/rehearsal/inTurn.mjs")

interface RanInTurn extends Ran {
  /** What each module printed, in their order. */
  readonly printed: ReadonlyArray<string>
}

/** Runs modules of a folder by a Node; what fails in one of them ends all. */
export const runInTurn = async (place: Place, node: string, modules: ReadonlyArray<string>): Promise<RanInTurn> => {
  const ran = await runIn(place, node, script, ...modules)
  const [, ...printed] = ran.stdout.split("\u001e")
  return { ...ran, printed }
}
