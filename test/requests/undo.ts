import type { Sender } from './sender.ts'

export const undoBodies = {
  /** Undoes the creation of an account. */
  async undo({ member }: Sender, whole: boolean): Promise<object> {
    const { headers } = await member.rest['accountCreate']!({ body: { name: 'Created by mistake' } } as never)
    const operationId = headers.get('x-request-id')
    return { operationId, ...(whole && { onConflict: 'REFUSE', dryRun: false }) }
  },
}
