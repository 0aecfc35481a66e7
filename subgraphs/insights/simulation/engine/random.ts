import { createHash } from 'node:crypto'

/** A source of random numbers that belongs to one purpose: other purposes, however many numbers they draw, never shift it. */
export type Stream = Uint32Array

/**
 * The stream of these names. Their digest is the state, so that similar seeds and ids give unrelated numbers; the counter of the generator is
 * never zero.
 */
export function streamOf(...names: readonly (string | number)[]): Stream {
  const digest = createHash('sha256').update(names.join('\n')).digest()
  return Uint32Array.of(digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), 1)
}

/** Fills `out` with the next 32-bit numbers of the stream (sfc32 of Chris Doty-Humphrey, which passes PractRand). */
export function fill(stream: Stream, out: Uint32Array): void {
  let a = stream[0]! | 0
  let b = stream[1]! | 0
  let c = stream[2]! | 0
  let counter = stream[3]! | 0
  for (let index = 0; index < out.length; index++) {
    const next = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + next) | 0
    out[index] = next
  }
  stream.set([a, b, c, counter])
}

export const wordRange = 2 ** 32

/** A number between 0 and 1, neither of them included. */
export const uniformOf = (word: number): number => (word + 0.5) / wordRange
