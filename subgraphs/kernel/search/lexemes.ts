import { comparedPhone, emailsIn, pairsOf, phoneOf, wordsOf, type Word } from './words.ts'

// What an entry contains, as lexemes of a `tsvector`. Each begins with the tag of its organization, so that the index of all organizations has the
// lexemes of one next to each other; a tag may be that of several, so whoever reads entries also compares the organization.

const tagLength = 5

/** The tag of an organization: five characters. */
export function tagOf(organizationId: string): string {
  let hash = 0n
  for (const unit of organizationId.toLowerCase()) hash = (hash * 131n + BigInt(unit.charCodeAt(0))) % 60_466_176n
  return hash.toString(36).padStart(tagLength, '0')
}

/** The kinds of lexemes. */
export const kinds = { title: '=', any: '.', email: '@', phone: '#', user: '$' } as const
export type LexemeKind = keyof typeof kinds

/** The lexeme of records whose visibility no user decides. */
export const everyone = '*'

/** The id of a user in 22 characters. */
export const userLexeme = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

/** Of a longer value, the beginning is searched. */
export const textMax = 4000
/** More words of a record are not searched. */
const lexemesMax = 500

const partsOf = ({ forms, offsets }: Word): readonly string[] => (offsets ? pairsOf(forms[0]!) : forms)

/** The searched values of a record; the first is its title. */
export interface EntryValues {
  readonly title: string | null
  readonly others: readonly (string | null)[]
  /** The users who see it where visibility is restricted; null where no user decides. */
  readonly users: readonly string[] | null
}

/** The lexemes of an entry. */
export function lexemesOf(tag: string, { title, others, users }: EntryValues): string[] {
  const lexemes = new Set<string>()
  const add = (kind: LexemeKind, value: string): unknown => lexemes.add(`${tag}${kinds[kind]}${value}`)
  for (const user of users ?? [everyone]) add('user', user === everyone ? user : userLexeme(user))
  const addText = (text: string, isTitle: boolean): void => {
    const phone = phoneOf(text)
    if (phone) add('phone', phone.slice(0, 20))
    for (const { text: email } of emailsIn(text)) add('email', email.slice(0, 100))
    for (const part of wordsOf(text).flatMap(partsOf)) {
      if (lexemes.size >= lexemesMax) return
      if (isTitle) add('title', part)
      add('any', part)
    }
  }
  if (title) addText(title, true)
  for (const text of others) if (text) addText(text, false)
  return [...lexemes]
}

/** The beginning of a phone number from its end, as it is looked for. */
export const phoneLexeme = (reversed: string): string => comparedPhone(reversed)
