import type { Word } from './words.ts'

// Typing errors are found by deletions (SymSpell): two words that differ by few edits become equal when few characters are deleted from both.

/** Deletions are made in the first characters of a word. */
const prefixLength = 7
const spelledMin = 4
/** From this length on, there may be two edits between a word and what was typed. */
const twoEditsMin = 8
/** From this length on, a word has the deletions of two characters: the other one may be longer. */
const twoDeletionsMin = 6

/** The edits that may be between a word and what was typed in its place, which may be shorter. */
const editsBetween = (one: string, other: string): number =>
  Math.max(one.length, other.length) >= twoEditsMin ? editsMax : 1
export const editsMax = 2

const isOfLetters = (word: string, min: number): boolean =>
  word.length >= min && word.length <= 32 && /^\p{L}+$/u.test(word)

/** Whether queries are corrected to words like this: letters only, and long enough that a correction is no other word. */
export const isSpelled = (word: string): boolean => isOfLetters(word, spelledMin)

/** Whether a query may be corrected that has such a word: of one that is spelled, a letter may be missing. */
export const isCorrected = (word: string): boolean => isOfLetters(word, spelledMin - 1)

/** The words of a title that queries are corrected to. */
export const spelledWords = (words: readonly Word[]): string[] =>
  words.flatMap(({ forms, offsets }) => (offsets ? [] : forms.filter(isSpelled)))

/** FNV-1a, as a signed integer of 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash | 0
}

function deletionsOf(word: string, deletions: number): Set<string> {
  const all = new Set([word.slice(0, prefixLength)])
  let last = [...all]
  for (let round = 0; round < deletions; round++) {
    last = last.flatMap((text) => Array.from(text, (_, index) => text.slice(0, index) + text.slice(index + 1)))
    for (const text of last) all.add(text)
  }
  return all
}

/**
 * The hashes of a word and what remains of it after deletions. Those of different organizations differ. A word with all of its hashes has one in common with
 * each word that is at most so many edits away.
 */
export const spellingHashes = (tag: string, word: string, edits = editsMax): number[] =>
  Array.from(deletionsOf(word, word.length >= twoDeletionsMin ? edits : 1), (text) => hashOf(tag + text))

/** The insertions, deletions, substitutions and swaps of neighbours between two words. */
export function distance(a: string, b: string): number {
  let [before, previous] = [[] as number[], Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const isEqual = a[i - 1] === b[j - 1]
      let least = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (isEqual ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1)
      current.push(least)
    }
    ;[before, previous] = [previous, current]
  }
  return previous[b.length]!
}

export interface NearbyWord {
  readonly word: string
  readonly edits: number
}

/** The words that were probably meant, the nearest first. */
export function corrections(word: string, candidates: readonly string[]): NearbyWord[] {
  return candidates
    .filter((other) => Math.abs(other.length - word.length) <= editsBetween(word, other))
    .map((other) => ({ word: other, edits: distance(word, other), first: other[0] === word[0] ? 0 : 1 }))
    .filter(({ word: other, edits }) => edits <= editsBetween(word, other))
    .toSorted((a, b) => a.edits - b.edits || a.first - b.first || (a.word < b.word ? -1 : 1))
    .map(({ word: near, edits }) => ({ word: near, edits }))
}
