import { execute } from "../Command.ts"
import { exists, type Manifest } from "../Workspace.ts"
import type { Owner } from "./Owner.ts"
import type { TarballInput } from "./Tarball.ts"

/** What the checks of a tarball look at. */
export const readTarball = (manifestPath: string, tarball: string, { repository }: Owner): TarballInput => {
  const packed = (file: string) => execute("tar", "-xzOf", tarball, `package/${file}`).stdout
  return {
    manifestPath,
    entries: execute("tar", "-tzf", tarball)
      .stdout.split("\n")
      .filter((path) => path !== "" && !path.endsWith("/"))
      .map((path) => path.replace(/^package\//, "")),
    packed: JSON.parse(packed("package.json")) as Manifest,
    readme: packed("README.md"),
    repository,
    isInRepository: exists
  }
}
