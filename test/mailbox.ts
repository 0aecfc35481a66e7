import { mailPlace, type StoredContent } from '../subgraphs/kernel/mail/queue-mail.ts'
import { platformId } from '../subgraphs/kernel/secrets/vault.ts'
import type { Platform } from './platform.ts'

export interface QueuedMail extends StoredContent {
  readonly state: string
  /** Token of the link in the mail, or the code. */
  readonly secret: string
}

/** Mails queued for an address, newest last. */
export async function mailsTo({ query, services }: Platform, recipient: string): Promise<QueuedMail[]> {
  const rows = await query<{ id: string; state: string; content: string }>(
    'select id, state, content from kernel.mail where recipient = $1 order by created_at, id',
    [recipient],
  )
  return Promise.all(
    rows.map(async ({ id, state, content }) => {
      const mail = JSON.parse(await services.vault.open(platformId, mailPlace(id), content)) as StoredContent
      const [, token, code] = /\?token=([\w-]{43})|^(\d{8})$/m.exec(mail.text) ?? []
      return { ...mail, state, secret: token ?? code ?? '' }
    }),
  )
}
