import { describe, expect, it } from 'vitest'
import { bounceTypeOf, isAddressRefused } from './bounce-type.ts'
import { printable } from './refused-recipients.ts'

describe('a refusal of a recipient', () => {
  it.each([
    '550 not here',
    '550 5.1.1 <ida@example.com>: Recipient address rejected: User unknown',
    '550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 Try again',
    '550 Unrouteable address',
    '550 5.4.1 Recipient address rejected: Access denied',
    '550 5.5.0 Requested action not taken: mailbox unavailable',
    '551 User not local',
    '553 Mailbox name not allowed',
    '554 5.2.1 The mailbox is disabled',
    '556 5.1.10 The domain accepts no mail',
  ])('is about the address: %s', (reply) => expect(isAddressRefused(reply)).toBe(true))

  it.each([
    '',
    '450 4.2.0 Greylisted',
    '452 4.2.2 Mailbox full',
    '503 Bad sequence of commands',
    '550 relay not permitted',
    '550 5.1.8 Sender address rejected: Domain not found',
    '550 5.1.0 Sender rejected',
    '550 5.4.5 Daily user sending limit exceeded',
    '550 5.7.1 Client host blocked',
    '552 5.2.2 Mailbox full',
    '552 Mailbox full',
    '554 5.7.1 <ida@example.com>: Relay access denied',
    '554 Transaction failed',
  ])('is about something else, or passes: %s', (reply) => expect(isAddressRefused(reply)).toBe(false))

  it('is stored as printable text', () =>
    expect(printable(`550 n\0o\r\nt \u{1f600}here${'x'.repeat(20)}`, 15)).toBe('550 n o t  here'))

  it.each([
    ['5.1.1', 'HARD'],
    ['5.2.1', 'HARD'],
    ['5.2.2', 'SOFT'],
    ['5.3.4', 'SOFT'],
    ['5.6.1', 'SOFT'],
    ['5.7.1', 'SOFT'],
    ['4.1.1', 'SOFT'],
    ['', 'SOFT'],
  ])('with the enhanced status code %j is a %s bounce', (status, type) => expect(bounceTypeOf(status)).toBe(type))
})
