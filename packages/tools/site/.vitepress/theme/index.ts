import { defineClientComponent } from "vitepress"
import type { Theme } from "vitepress"
import DefaultTheme from "vitepress/theme"
import { load } from "./playground/Playground.ts"
import RetryPreview from "./playground/Preview.vue"
import "./style.css"

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    // Loaded where it is shown: Effect stays out of the other pages and of the server build.
    app.component("RetryPlayground", defineClientComponent(load))
    app.component("RetryPreview", RetryPreview)
  }
} satisfies Theme
