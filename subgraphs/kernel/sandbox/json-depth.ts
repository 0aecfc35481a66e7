/** How many lists and objects contain one another in a text of JSON. It reads the text, because a value may be too deep to walk. */
export function jsonDepth(json: string): number {
  let depth = 0
  let deepest = 0
  for (const [part] of json.matchAll(/"(?:[^"\\]+|\\.)*"|[[{\]}]/g)) {
    if (part === '[' || part === '{') deepest = Math.max(deepest, ++depth)
    else if (part === ']' || part === '}') depth -= 1
  }
  return deepest
}
