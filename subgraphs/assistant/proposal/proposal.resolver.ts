import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import { IdArg } from '../../kernel/record/args.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Limits } from '../../kernel/subgraph/limits.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { confirmProposal, rejectProposal } from './confirm.ts'
import type { Confirming } from './decide.ts'
import { proposalOutput, proposalTables } from './proposal.migrations.ts'
import { Proposal, ProposalListArgs } from './proposal.types.ts'
import { listProposals, readProposal } from './stored.ts'

/** The longest timeout of a custom action, and the time for what surrounds it. */
const confirmMs = 45_000

@Resolver()
export class ProposalResolver {
  @Query(() => [Proposal], {
    description: 'The proposals for the caller of the last 30 days, the newest first. Nobody else sees them.',
  })
  @RequiresScopes('READ_CONVERSATIONS')
  proposalList(@Args(() => ProposalListArgs) args: ProposalListArgs, @Ctx() ctx: RequestContext) {
    return listProposals(ctx, args)
  }

  @Query(() => Proposal, { description: 'A proposal for the caller.' })
  @RequiresScopes('READ_CONVERSATIONS')
  proposal(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return readProposal(ctx, id)
  }

  @Mutation(() => Proposal, {
    description:
      'Makes a proposed change, as the caller and with all checks of the mutation. It is made once: after that, and when it was rejected or has expired, INVALID_STATE. VERSION_CONFLICT if the record was changed after the proposal, which then is STALE. Another refusal of the change makes it FAILED. A custom action runs once; one that fails is no error of the operation, but makes the proposal FAILED.',
  })
  @RequiresScope('CONVERSATIONS')
  @Limits({ deadlineMs: confirmMs })
  proposalConfirm(@IdArg() id: string, @Ctx() ctx: Confirming) {
    return confirmProposal(ctx, id)
  }

  @Mutation(() => Proposal, {
    description: 'Rejects a proposal, so that it cannot be confirmed. INVALID_STATE if it is not PENDING.',
  })
  @RequiresScope('CONVERSATIONS')
  proposalReject(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return rejectProposal(ctx, id)
  }
}

export const proposalResource: Resource = {
  resolver: ProposalResolver,
  migrations: [proposalTables, proposalOutput],
  operations: [
    operation('GET /v1/proposals', 'proposalList', { summary: 'List proposals', answers: 'The proposals.' }),
    operation('GET /v1/proposals/{id}', 'proposal', { summary: 'Read a proposal', answers: 'The proposal.' }),
    operation('POST /v1/proposals/{id}/confirm', 'proposalConfirm', {
      summary: 'Confirm a proposal',
      answers: 'The proposal, CONFIRMED.',
      refusals: [409],
    }),
    operation('POST /v1/proposals/{id}/reject', 'proposalReject', {
      summary: 'Reject a proposal',
      answers: 'The proposal, REJECTED.',
      refusals: [409],
    }),
  ],
}
