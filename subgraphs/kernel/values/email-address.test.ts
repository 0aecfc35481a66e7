import { describe, expect, it } from 'vitest'
import { isStoredEmail, mailboxOf, parseEmail } from './email-address.ts'

describe('parseEmail', () => {
  it.each([
    [' Ann.Lee+crm@Example.COM ', 'ann.lee+crm@example.com'],
    ["o'neil_1@mail.example.co.uk", "o'neil_1@mail.example.co.uk"],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['ann@BÜCHER.example', 'ann@xn--bcher-kva.example'],
    ['ann@bu\u0308cher.example', 'ann@xn--bcher-kva.example'],
    ['ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('normalizes %j to %s', (text, address) => {
    expect([parseEmail(text), parseEmail(address)]).toEqual([address, address])
  })

  it.each([
    'nobody',
    '@example.com',
    'ann@',
    'ann@localhost',
    'ann@@example.com',
    'ann@example.com@corp.example',
    // Comments, in which another address may hide.
    'victim@corp.example(1.x',
    'victim@corp.example(1).x',
    'victim(1)@corp.example',
    '(1)victim@corp.example',
    // Display names and lists.
    'Ann <ann@example.com>',
    '<ann@example.com>',
    'ann@example.com,eve@example.com',
    'ann@example.com;eve@example.com',
    'ann:eve@example.com;',
    // Control characters, spaces and line ends of SMTP.
    'victim\u0001@corp.example',
    'victim@corp.example\u0000',
    'victim@corp\t.example',
    'victim@corp.example\n',
    '\u00a0victim@corp.example',
    'victim @corp.example',
    'victim@corp.example\r\nRCPT TO:<eve@example.com>',
    'victim\u200b@corp.example',
    'victim@corp\u200b.example',
    'victim\u00ad@corp.example',
    '\u202evictim@corp.example',
    // Quotes and escapes.
    '"victim"@corp.example',
    '"vic tim"@corp.example',
    'vic\\tim@corp.example',
    // Address literals and numbers that are addresses.
    'ann@[192.0.2.1]',
    'ann@192.0.2.1',
    'ann@127.1',
    'ann@[IPv6:::1]',
    // Letters that look like ASCII letters.
    'victіm@corp.example',
    'ｖictim@corp.example',
    '\u212aim@corp.example',
    'ann＠corp.example',
    'ann@corp%2eexample',
    'ann@corp.example/x',
    'ann@corp.example:25',
    'ann@corp.example?x',
    'ann@corp.example#x',
    // Dots and hyphens in places that mail servers refuse.
    '.ann@corp.example',
    'ann.@corp.example',
    'a..n@corp.example',
    'ann@.corp.example',
    'ann@corp..example',
    'ann@corp.example.',
    'ann@-corp.example',
    'ann@xn--\u00fc.example',
    // Lengths.
    `${'a'.repeat(65)}@example.com`,
    `ann@${'a'.repeat(64)}.example`,
    `${'a'.repeat(60)}@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(20)}`,
    ' '.repeat(2000),
  ])('refuses %j', (text) => {
    expect([parseEmail(text), isStoredEmail(text)]).toEqual([null, false])
  })
})

describe('mailboxOf', () => {
  it('is the same for all spellings of one mailbox', () => {
    const ways = ['v.i.c.tim@gmail.com', 'VICTIM+1@googlemail.com', 'victim+2+3@gmail.com', ' victim@gmail.com ']
    expect(new Set(ways.map(mailboxOf))).toEqual(new Set(['victim@gmail.com']))
    expect(mailboxOf('Vic.Tim+a@Corp.example')).toBe('vic.tim@corp.example')
    expect(mailboxOf('victim@bücher.example')).toBe(mailboxOf('victim+x@xn--bcher-kva.example'))
    expect(mailboxOf('+x@corp.example')).toBe('+x@corp.example')
  })
})
