import { defineClientComponent } from "vitepress"
import type { Theme } from "vitepress"
import DefaultTheme from "vitepress/theme"
import "./style.css"

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    // Loaded where it is shown: Effect stays out of the other pages and of the server build.
    app.component(
      "RetryPlayground",
      defineClientComponent(() => import("./playground/RetryPlayground.vue"))
    )
  }
} satisfies Theme
