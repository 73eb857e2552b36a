/**
 * The width of a figure is that of its place, so that its words have the size of the page.
 */
import { type InjectionKey, inject, onMounted, onUnmounted, provide, ref, type Ref } from "vue"

const key: InjectionKey<Ref<number>> = Symbol("the width of figures")

const initial = 600

/** Measures an element, for the figures in it. */
export const provideWidth = (place: Ref<HTMLElement | undefined>): void => {
  const width = ref(initial)
  provide(key, width)
  let observer: ResizeObserver | undefined
  onMounted(() => {
    observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0) width.value = Math.floor(entry.contentRect.width)
    })
    if (place.value !== undefined) observer.observe(place.value)
  })
  onUnmounted(() => observer?.disconnect())
}

export const useWidth = (): Ref<number> => inject(key, () => ref(initial), true)
