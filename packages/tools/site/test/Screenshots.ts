/**
 * Screenshots as coarse pictures: each cell has the mean colour of a square of the page. Words and the fonts of a machine
 * change a cell little; another layout, a missing style or the wrong theme changes many of them much.
 */
import type { Page } from "playwright-core"

/** Pixels of the page along the edge of a cell. */
const cell = 25

/** The visible part of the page as a PNG with one pixel for each cell, in base 64; worked out on a page of its own. */
export const coarse = async (canvas: Page, page: Page): Promise<string> => {
  await page.evaluate(() => document.fonts.ready)
  const shot = await page.screenshot({ animations: "disabled", caret: "hide" })
  return canvas.evaluate(
    async ({ cell, png }) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
      const [width, height] = [Math.round(image.width / cell), Math.round(image.height / cell)]
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height })
      const from = canvas.getContext("2d", { willReadFrequently: true })!
      from.drawImage(image, 0, 0)
      const small = Object.assign(document.createElement("canvas"), { width, height })
      const to = small.getContext("2d")!
      const pixels = to.createImageData(width, height)
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const { data } = from.getImageData(x * cell, y * cell, cell, cell)
          const sums = [0, 0, 0]
          data.forEach((value, i) => {
            if (i % 4 !== 3) sums[i % 4]! += value
          })
          const count = data.length / 4
          pixels.data.set([...sums.map((sum) => Math.round(sum / count)), 255], 4 * (y * width + x))
        }
      }
      to.putImageData(pixels, 0, 0)
      return small.toDataURL("image/png").split(",")[1]!
    },
    { cell, png: shot.toString("base64") }
  )
}

/** The share of cells in which two coarse pictures differ; 1 where their sizes do. */
export const difference = (canvas: Page, one: string, other: string): Promise<number> =>
  canvas.evaluate(
    async ([one, other]) => {
      const pixelsOf = async (png: string) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
        const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height })
        const context = canvas.getContext("2d")!
        context.drawImage(image, 0, 0)
        return context.getImageData(0, 0, image.width, image.height)
      }
      const [a, b] = [await pixelsOf(one), await pixelsOf(other)]
      if (a.width !== b.width || a.height !== b.height) return 1
      let differing = 0
      for (let i = 0; i < a.data.length; i += 4) {
        const distance = Math.max(...[0, 1, 2].map((c) => Math.abs(a.data[i + c]! - b.data[i + c]!)))
        if (distance > 24) differing += 1
      }
      return differing / (a.data.length / 4)
    },
    [one, other] as const
  )
