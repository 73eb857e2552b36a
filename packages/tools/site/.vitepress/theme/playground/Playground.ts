/**
 * The playground with the packages, loaded beside each other.
 */
import { type Component, h } from "vue"
import { loadPackages } from "./Packages.ts"

export const load = async (): Promise<Component> => {
  const [{ default: RetryPlayground }, packages] = await Promise.all([import("./RetryPlayground.vue"), loadPackages()])
  return (props: { readonly brief?: boolean }) => h(RetryPlayground, { ...props, packages })
}
