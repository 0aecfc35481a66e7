import { describe, it } from 'vitest'
import { useKilledMails } from './killed-mails.ts'

const { expectSentOnceMore } = useKilledMails()

// `mails.system.test.ts` kills workers that send mails of users.
describe('a worker that is killed when the mail server has accepted a mail', { timeout: 240_000 }, () => {
  it('sends a mail of the platform once more with the same Message-ID, and records it once', () =>
    expectSentOnceMore('a mail of the platform', 'QUEUED', 'SENT'))
})
