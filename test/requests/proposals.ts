import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'

/** An open proposal with this id, which creates a task. */
async function aProposal({ platform, member }: Sender, id: string): Promise<void> {
  await platform.query(
    `insert into assistant.proposal (organization_id, id, user_id, object, action, record_id, input, summary, status, created_at, expires_at)
     values ($1, $2, $3, 'task', 'create', $4, '{"subject": "Call the yard"}', 'Create task: subject', 'PENDING', now(), now() + interval '900 days')`,
    [member.organizationId, id, member.userId, newId()],
  )
}

export const proposalPreparations = {
  proposal: aProposal,
  proposalConfirm: aProposal,
  proposalReject: aProposal,
  proposalList: async (requests: Sender) => {
    for (let row = 0; row < 2; row++) await aProposal(requests, newId())
  },
}

export const proposalsOnce = ['proposalConfirm', 'proposalReject']
