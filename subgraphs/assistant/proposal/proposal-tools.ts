import { idIn, objectIn, oneIn } from '../tool/check-arguments.ts'
import type { Tool, ToolCalling, ToolOutput } from '../tool/tool.ts'
import { confirmProposal } from './confirm.ts'
import { propose } from './propose.ts'
import { proposedActions, proposedObjects } from './proposed-objects.ts'
import type { StoredProposal } from './store-proposal.ts'

/** What a caller of a tool is told of a new proposal. */
export const proposalOutput = ({ id, summary }: StoredProposal): ToolOutput => ({
  content: { proposalId: id, summary, status: 'PENDING' },
  rows: 0,
  citations: [],
  proposal: { proposalId: id, summary },
})

export const proposeChange: Tool = {
  name: 'propose_change',
  title: 'Propose a change',
  effect: 'PROPOSE',
  // The summary has the name of the record.
  isUntrusted: true,
  description:
    'Proposes the creation or the update of one record. Nothing is changed: the user sees the proposal and may confirm it within an hour. Call describe first for the fields.',
  parameters: {
    type: 'object',
    required: ['action', 'object', 'input'],
    additionalProperties: false,
    properties: {
      action: { type: 'string', enum: proposedActions },
      object: { type: 'string', enum: proposedObjects },
      id: { type: 'string', description: 'Id of the record to update.' },
      input: { type: 'object', description: 'The fields to set.' },
    },
  },
  async run(calling: ToolCalling, given): Promise<ToolOutput> {
    const action = oneIn(given, 'action', proposedActions)
    const object = oneIn(given, 'object', proposedObjects)
    const id = action === 'update' ? idIn(given, 'id') : null
    const proposed = await propose(calling, { action, object, id, input: objectIn(given, 'input') })
    return proposalOutput(proposed)
  },
}

export const confirmChange: Tool = {
  name: 'confirm_change',
  title: 'Confirm a proposed change',
  effect: 'CONFIRM',
  isUntrusted: false,
  description: 'Makes a proposed change, or runs a proposed action, after the user has confirmed it.',
  parameters: {
    type: 'object',
    required: ['proposalId'],
    additionalProperties: false,
    properties: { proposalId: { type: 'string', description: 'Id that propose_change or an action has returned.' } },
  },
  async run({ ctx }, given): Promise<ToolOutput> {
    const confirmed = await confirmProposal(ctx, idIn(given, 'proposalId'))
    const { id, status, entityType, recordId, output, errorCode, errorMessage } = confirmed
    const told = { proposalId: id, status, entityType, recordId }
    if (errorCode === null && output === null) return { content: told, rows: 0, citations: [] }
    // An action that has run: what it has returned is text of others.
    const content = { untrusted: true, ...told, ...(errorCode === null ? { output } : { errorCode, errorMessage }) }
    const error = errorCode === null ? {} : { error: `The action failed: ${errorCode}.` }
    return { content, rows: 0, citations: [], ...error }
  },
}
