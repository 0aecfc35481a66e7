import { Field, ObjectType } from 'type-graphql'
import { Refusal } from '../../kernel/errors.ts'
import { secondsOf } from '../../kernel/counters/counters.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { imapClient, verifySmtp } from './connect.ts'
import { refuseForeignMailbox } from './mailbox.rules.ts'
import { mailbox } from './mailbox.record.ts'
import type { Mailbox } from './mailbox.ts'

@ObjectType({ description: 'Whether a server of a mailbox can be used.' })
@RequiresScope('MAILBOXES')
export class MailboxServerTest {
  @Field(() => Boolean, { description: 'True if the connection and the sign-in succeeded.' })
  ok!: boolean

  @Field(() => String, { nullable: true, description: 'What went wrong; null if nothing did.' })
  error!: string | null
}

@ObjectType({ description: 'Whether the servers of a mailbox can be used.' })
@RequiresScope('MAILBOXES')
export class MailboxTest {
  @Field(() => MailboxServerTest, { description: 'The SMTP server.' })
  smtp!: MailboxServerTest

  @Field(() => MailboxServerTest, { nullable: true, description: 'The IMAP server; null if the mailbox has none.' })
  imap!: MailboxServerTest | null
}

type TestContext = RequestContext<'vault' | 'outbound' | 'counters'>

const perMailbox = [{ max: 10, windowMs: 3_600_000 }]

/** The servers are called while no transaction is open. */
export function testMailbox(ctx: TestContext, id: string): Promise<MailboxTest> {
  requireWritableRole(ctx)
  return transactionWithExternalCalls(ctx, async (inner) => {
    const box = await recordsOf(mailbox).require(inner, id)
    refuseForeignMailbox(inner, box)
    return externalCall(inner, `test ${box.id} ${box.version}`, async () => () => testServers(ctx, box))
  })
}

async function testServers(ctx: TestContext, box: Mailbox): Promise<MailboxTest> {
  const checks = [{ space: 'mailbox-test', key: box.id, limits: perMailbox, hits: 1 }]
  const [decision] = await ctx.counters.checkAll(checks, ctx.clock.now().getTime())
  if (!decision!.allowed) {
    const retryAfter = secondsOf(perMailbox[0]!.windowMs)
    throw new Refusal('MAIL_RATE_LIMITED', 'A mailbox can be tested 10 times in an hour; retry later.', { retryAfter })
  }
  const [smtp, imap] = await Promise.all([
    outcomeOf(() => verifySmtp(ctx, box)),
    box.imapHost === null ? null : outcomeOf(async () => (await imapClient(ctx, box)).close()),
  ])
  return { smtp, imap }
}

async function outcomeOf(work: () => Promise<void>): Promise<MailboxServerTest> {
  try {
    await work()
    return { ok: true, error: null }
  } catch (error) {
    const { responseText, message } = error as Error & { responseText?: string }
    return { ok: false, error: (responseText ?? message).replaceAll(/\p{C}+/gu, ' ').slice(0, 500) }
  }
}
