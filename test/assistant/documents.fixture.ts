import { documentQueue } from '../../subgraphs/assistant/document/document.queue.ts'
import type { Platform } from '../platform.ts'

/** Attempts each run of an organization that waits once, as a worker does. */
export async function readDocuments(platform: Platform, organization: string): Promise<void> {
  const runs = await platform.query<{ id: string }>(
    `update assistant.document_run set lease_token = gen_random_uuid(), attempts = attempts + 1
     where organization_id = $1 and state = 'QUEUED' returning id, document_id as "documentId", attempts, lease_token as token`,
    [organization],
  )
  for (const run of runs) {
    const item = { ...run, organization, lostToken: null } as never
    const outcome = await documentQueue.attempt(platform.services, item, new AbortController().signal)
    await platform.query('update assistant.document_run set state = $2, lease_token = null where id = $1', [
      run.id,
      'end' in outcome ? outcome.end : 'QUEUED',
    ])
  }
}
