import { isJsonObject } from '../../subgraphs/kernel/json/exact-number.ts'
import type { Data } from './shape.ts'

export const isData = (value: unknown): value is Data => isJsonObject(value)

export const own = (data: Data, key: string): unknown => (Object.hasOwn(data, key) ? data[key] : undefined)

function mergeItems(target: unknown[], source: readonly unknown[]): void {
  for (let index = 0; index < source.length; index++) {
    const current = target[index]
    const incoming = source[index]
    if (isData(current) && isData(incoming)) mergeInto(current, incoming)
    else if (Array.isArray(current) && Array.isArray(incoming) && current.length === incoming.length)
      mergeItems(current, incoming)
    else if (current !== incoming) target[index] = incoming
  }
}

/** Merges the answer of one fetch into the data. Equal values are not replaced, so shared values are never written to. */
export function mergeInto(target: Data, source: Data): void {
  for (const key of Object.keys(source)) {
    const incoming = source[key]
    if (incoming === undefined) continue
    const current = own(target, key)
    if (isData(current) && isData(incoming)) mergeInto(current, incoming)
    else if (Array.isArray(current) && Array.isArray(incoming) && current.length === incoming.length)
      mergeItems(current, incoming)
    else if (current !== incoming) target[key] = incoming
  }
}

/** The objects at a path in which `@` stands for every item of a list. A null on the path ends it. */
export function objectsAt(root: unknown, path: readonly string[]): Data[] {
  const found: Data[] = []
  const visit = (value: unknown, depth: number): void => {
    if (Array.isArray(value)) {
      const next = path[depth] === '@' ? depth + 1 : depth
      for (const item of value) visit(item, next)
    } else if (isData(value)) {
      const key = path[depth]
      if (key === undefined) found.push(value)
      else visit(own(value, key), depth + 1)
    }
  }
  visit(root, 0)
  return found
}

/**
 * The paths of objects that `objectsAt` found. Only errors need them. Another fetch may have added objects since then, so the
 * walk skips objects that were not found; the found ones keep their order.
 */
export function pathsOf(found: readonly Data[], root: unknown, path: readonly string[]): (string | number)[][] {
  const paths: (string | number)[][] = []
  const visit = (value: unknown, depth: number, walked: readonly (string | number)[]): void => {
    if (Array.isArray(value)) {
      const next = path[depth] === '@' ? depth + 1 : depth
      value.forEach((item, index) => visit(item, next, [...walked, index]))
    } else if (isData(value)) {
      const key = path[depth]
      if (key !== undefined) visit(own(value, key), depth + 1, [...walked, key])
      else if (value === found[paths.length]) paths.push([...walked])
    }
  }
  visit(root, 0, [])
  return paths
}
