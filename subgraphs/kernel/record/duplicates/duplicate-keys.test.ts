import { describe, expect, it } from 'vitest'
import { duplicateKey, type KeyMethod } from './duplicate-keys.ts'

const table: Readonly<Record<KeyMethod, readonly (readonly [unknown, string | null])[]>> = {
  EXACT: [
    ['A  b', 'a b'],
    ['\uff21\u3000B ', 'a b'],
    ['Straße', 'straße'],
    ['', null],
    ['  ', null],
    [null, null],
    [12.5, '12.5'],
    [10, '10'],
    [['a'], null],
    [true, null],
  ],
  EMAIL: [
    [' Ida@Yard.Example', 'ida@yard.example'],
    ['ida+sales+x@yard.example', 'ida@yard.example'],
    ['+ida@yard.example', '+ida@yard.example'],
    ['i.da@gmail.com', 'i.da@gmail.com'],
    ['ida@bücher.example', 'ida@xn--bcher-kva.example'],
    ['no address', null],
    ['', null],
  ],
  DOMAIN: [
    ['https://www.Halvorsen-Marine.example/about?x=1', 'halvorsen-marine.example'],
    ['halvorsen-marine.example:8080', 'halvorsen-marine.example'],
    ['//halvorsen-marine.example.', 'halvorsen-marine.example'],
    ['ida@halvorsen-marine.example', 'halvorsen-marine.example'],
    ['https://user:secret@halvorsen-marine.example/', 'halvorsen-marine.example'],
    ['ida@gmail.com', null],
    ['gmail.com', null],
    ['www.bücher.example', 'xn--bcher-kva.example'],
    ['intranet', null],
    ['', null],
  ],
  COMPANY: [
    ['Nordkaj Terminal AB', 'nordkaj terminal'],
    ['Nordkaj  Terminal, Inc.', 'nordkaj terminal'],
    ['nordkaj terminal GmbH & Co. KG', 'nordkaj terminal'],
    ['Nordkaj Terminal A/S', 'nordkaj terminal'],
    ['Nordkaj Terminal S.A.', 'nordkaj terminal'],
    ['Nordkaj Terminal S.p.A.', 'nordkaj terminal'],
    ['Nordkaj Terminal K.K.', 'nordkaj terminal'],
    ['Nordkaj Terminal Pty Ltd', 'nordkaj terminal'],
    ['Nordkaj Terminal LLC', 'nordkaj terminal'],
    ['Nordkaj Terminal Sp. z o.o.', 'nordkaj terminal'],
    ['株式会社北海', '北海'],
    ['A.B.C. Rederi AS', 'abc rederi'],
    ['Coop', 'coop'],
    ['AB', 'ab'],
    ['AB Volvo', 'ab volvo'],
    ["O'Brien & Sons Ltd.", 'obrien sons'],
    ['...', null],
  ],
  PERSON: [
    ['Ingrid Halvorsen', 'halvorsen ingrid'],
    ['HALVORSEN,  Ingrid', 'halvorsen ingrid'],
    ["Mary-Ann O'Neil", "mary-ann o'neil"],
    ['- ', null],
    ['', null],
  ],
  PHONE: [
    ['+46 70 174 06 52', '701740652'],
    ['070-174 06 52', '701740652'],
    ['0046 (0)70 174 06 52', '701740652'],
    ['112', '112'],
    ['ext.', null],
  ],
}

describe('the key of a value', () => {
  for (const [method, rows] of Object.entries(table))
    it.each(rows)(`by ${method}: %j is %j`, (value, key) => {
      expect(duplicateKey(method as KeyMethod, value)).toBe(key)
    })

  it('is a hash where it is too long for an index', () => {
    expect(duplicateKey('EXACT', 'x'.repeat(500))).toBe('x'.repeat(500))
    expect(duplicateKey('EXACT', 'x'.repeat(501))).toMatch(/^sha256 [0-9a-f]{64}$/)
  })
})
