import { SourceMap, type SourceMapPayload } from 'node:module'
import type { CompiledSource } from './sandbox.ts'

const place = /\bprogram:(\d+):(\d+)/g
/** Frames of the sandbox itself, which a user cannot know. */
const ownFrame = /sandbox:|isolated-vm boundary|file:\/\/|node:|\(?<anonymous>\)?$/

/** Maps a line and a column of the compiled code to those of the source, both counted from 1. */
export function userPlaceOf({
  sourceMap,
}: Pick<CompiledSource, 'sourceMap'>): (line: number, column: number) => [number, number] {
  if (sourceMap === null) return (line, column) => [line, column]
  const map = new SourceMap(JSON.parse(sourceMap) as SourceMapPayload)
  return (line, column) => {
    const entry = map.findEntry(line - 1, column - 1)
    return 'originalLine' in entry ? [entry.originalLine + 1, entry.originalColumn + 1] : [line, column]
  }
}

/** A stack with the lines of the source as the user wrote it, without the frames of the sandbox. */
export function userStack(stack: string, program: CompiledSource): string {
  const mapped = userPlaceOf(program)
  const lines = stack.split('\n').filter((line, index) => index === 0 || !/^\s+at /.test(line) || !ownFrame.test(line))
  return lines.join('\n').replace(place, (_, line: string, column: string) => {
    const [userLine, userColumn] = mapped(Number(line), Number(column))
    return `function:${userLine}:${userColumn}`
  })
}
