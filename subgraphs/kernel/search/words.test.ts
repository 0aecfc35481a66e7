import { describe, expect, it } from 'vitest'
import { lexemesOf } from './lexemes.ts'
import { matchesIn, matchOf, type FieldText } from './match.ts'
import { termsOf, type Term } from './query.ts'
import { corrections, distance, spellingHashes } from './spelling.ts'
import { emailsIn, phoneOf, wordsOf } from './words.ts'

const forms = (text: string) => wordsOf(text).map(({ forms: own }) => own)

const foundIn = (fields: readonly FieldText[], title: string | null, terms: readonly Term[]) =>
  matchOf(
    fields.map((field) => matchesIn(field, terms)),
    title,
    terms,
  )

/** Whether a record with this title is found. */
const finds = (title: string, query: string): boolean =>
  foundIn([{ field: 'name', text: title }], title, termsOf(query, 'query')) !== null

describe('the words of a text', () => {
  it.each([
    [
      'Müller & Söhne',
      [
        ['muller', 'mueller'],
        ['sohne', 'soehne'],
      ],
    ],
    ['Straße ẞ', [['strasse'], ['ss']]],
    ['İSTANBUL ısı', [['istanbul'], ['isi']]],
    ["O'Brien d’Or", [['obrien'], ['dor']]],
    ['Łódź Øre Æther', [['lodz'], ['ore', 'oere'], ['aether']]],
    ['ＡＢＣ１２', [['abc12']]],
    ['أحمد إبراهيم آل ٱسم', [['احمد'], ['ابراهيم'], ['ال'], ['اسم']]],
    ['مُحَمَّد مـحـمـد', [['محمد'], ['محمد']]],
    ['الأحمد فاطمة مصطفى', [['الاحمد', 'احمد'], ['فاطمه'], ['مصطفي']]],
    ['٢٠٢٦', [['2026']]],
    ['ガス ｶﾞｽ', [['ガス'], ['ガス']]],
    ['株式会社Acme', [['株式会社'], ['acme']]],
    ['ΟΔΥΣΣΕΥΣ', [['οδυσσευσ']]],
    ['हिन्दी', [['हिन्दी']]],
    ['--- !!', []],
    // Letters that stand for several words, and letters that stand for a mark on a space.
    ['\ufdfa', [['صلي'], ['الله'], ['عليه'], ['وسلم']]],
    ['a\ufe70b \u037ac', [['a'], ['b'], ['c']]],
  ])('of %s', (text, expected) => {
    expect(forms(text)).toEqual(expected)
  })

  it.each(['Müller', 'Ångström', 'Čapek', 'Đặng Văn', 'がぎぐ', 'أحمد', 'Ёлка', '김치'])(
    'of %s are the same in composed and decomposed form',
    (text) => {
      expect(forms(text.normalize('NFD'))[0]).toEqual(forms(text.normalize('NFC'))[0])
    },
  )

  it('have their places in the text', () => {
    const text = 'Zoë 東京ｶﾞｽ'
    const [name, run] = wordsOf(text)
    expect(text.slice(name!.start, name!.end)).toBe('Zoë')
    const [range] = foundIn([{ field: 'name', text }], text, termsOf('ガス', 'query'))!.found[0]!.ranges
    expect(text.slice(range!.start, range!.end)).toBe('ｶﾞｽ')
    expect(run!.end).toBe(text.length)
  })

  it('are lexemes without white space, whatever the characters of the text', () => {
    const refused: string[] = []
    const users = null
    for (let code = 1; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const text = String.fromCodePoint(code)
      // Other characters are as they are.
      if (text.normalize('NFKD') === text && !/\p{M}/u.test(text)) continue
      const lexemes = lexemesOf('12345', { title: `${text} a${text}b`, others: [], users })
      if (lexemes.some((lexeme) => /\s/.test(lexeme) || lexeme.length <= 6)) refused.push(code.toString(16))
    }
    expect(refused).toEqual([])
  })

  it.each([
    ['one word', 'a'],
    ['no words', ' '],
    ['apostrophes', "a'"],
    ['marks', '\u0301\u0323'],
    ['Japanese', '東'],
    ['Thai', 'ก็'],
    ['at signs', 'a@'],
    ['digits', '1 '],
  ])('are found in linear time in a text of %s', (_, part) => {
    const text = `${part.repeat(200_000 / part.length)}!`
    const before = process.cpuUsage()
    lexemesOf('12345', { title: null, others: [text], users: null })
    foundIn([{ field: 'name', text }], text, termsOf('東a', 'query'))
    const { user } = process.cpuUsage(before)
    expect(user / 1_000_000).toBeLessThan(2)
  })

  it('include email addresses and telephone numbers', () => {
    expect(emailsIn('Mail to Ida.H@Yard.example, please').map(({ text }) => text)).toEqual(['ida.h@yard.example'])
    expect(emailsIn('<a@b@c@d> @e f@ @@g@h').map(({ text }) => text)).toEqual(['a@b', 'c@d', 'g@h'])
    expect(phoneOf('+49 (170) 123-4567')).toBe('765432107194')
    expect(phoneOf('room 12')).toBe(null)
    expect(phoneOf('123')).toBe(null)
  })
})

describe('a query', () => {
  it.each([
    ['Jürgen Müller', 'muller'],
    ['Jürgen Müller', 'Mueller'],
    ['Jürgen Mueller', 'müller'],
    ['Jürgen Müller', 'jürgen mü'],
    ['Gießerei Weiß', 'giesserei weiss'],
    ['株式会社東京都市開発', '都市'],
    ['山田 太郎', '山田太'.slice(0, 2)],
    ['田中商店', '商'],
    ['ソニー株式会社', 'ｿﾆｰ'],
    ['شركة الأحمد', 'أحمد'],
    ['شركة أحمد', 'الاحمد'],
    ['فاطِمة الزهراء', 'فاطمه'],
    ["Sean O'Brien", 'obrien'],
  ])('finds %s by %s', (title, query) => {
    expect(finds(title, query)).toBe(true)
    expect(finds(title.normalize('NFD'), query)).toBe(true)
    expect(finds(title, query.normalize('NFD'))).toBe(true)
  })

  it.each([
    ['Jürgen Müller', 'jürgen schmidt'],
    ['東京都', '京東'],
    ['Müller', 'ller'],
    ['Jürgen Müller', 'jürg müller'],
    ['Jürgen Müller', 'mül '],
  ])('does not find %s by %s', (title, query) => {
    expect(finds(title, query)).toBe(false)
  })

  it.each([
    ['', 'REQUIRED'],
    [' !? ', 'REQUIRED'],
    ['a'.repeat(201), 'TOO_LONG'],
    ['a b c d e f g h i j k', 'TOO_MANY_WORDS'],
    ['a\u0000', 'NOT_TEXT'],
  ])('%j is refused with %s', (text, code) => {
    expect(() => termsOf(text, 'query')).toThrow(
      expect.objectContaining({ extensions: expect.objectContaining({ errors: [expect.objectContaining({ code })] }) }),
    )
  })

  it('ranks the beginning of a title, its words, their beginnings, and other fields', () => {
    const rank = (query: string) =>
      foundIn(
        [
          { field: 'name', text: 'Halvorsen Marine Supply' },
          { field: 'city', text: 'Bergen' },
        ],
        'Halvorsen Marine Supply',
        termsOf(query, 'query'),
      )?.rank
    expect(['halvorsen mar', 'supply marine', 'marine supp', 'bergen', 'halvorsen berg', 'oslo'].map(rank)).toEqual([
      0,
      1,
      2,
      3,
      3,
      undefined,
    ])
  })
})

describe('a typing error', () => {
  it.each([
    ['halvorsne', 'halvorsen', 1],
    ['halvrsen', 'halvorsen', 1],
    ['hallvorsen', 'halvorsen', 1],
    ['helvorzen', 'halvorsen', 2],
    ['hlvrsen', 'halvorsen', 2],
    ['havorn', 'halvoren', 2],
    ['oto', 'otto', 1],
    ['mueler', 'mueller', 1],
  ])('%s is near %s', (typed, word, edits) => {
    expect(distance(typed, word)).toBe(edits)
    const stored = new Set(spellingHashes('tag', word))
    expect(spellingHashes('tag', typed, edits).some((hash) => stored.has(hash))).toBe(true)
    expect(corrections(typed, [word, 'other'])).toEqual([{ word, edits }])
  })

  it('is one edit where both words have fewer than eight letters', () => {
    const near = (typed: string) => corrections(typed, ['halvors', 'halvoren', 'otto']).map(({ word }) => word)
    expect(['hlvrs', 'hlvore', 'hlvors', 'tto', 'to'].map(near)).toEqual([[], ['halvoren'], ['halvors'], ['otto'], []])
  })

  it('in a short word is one edit, and the first letter decides between equal distances', () => {
    const words = (typed: string, known: string[]) => corrections(typed, known).map(({ word }) => word)
    expect(words('smth', ['smith', 'sooth'])).toEqual(['smith'])
    expect(words('lark', ['dark', 'park', 'larp'])).toEqual(['larp', 'dark', 'park'])
  })
})
