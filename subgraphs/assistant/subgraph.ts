import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { assistantAggregates } from './aggregates.ts'
import { accountBriefResources } from './account-brief/account-brief.resolver.ts'
import { aiExecutionResource } from './ai-execution/ai-execution.resolver.ts'
import { aiTriggerResource } from './ai-trigger/ai-trigger.resolver.ts'
import { documentResource } from './document/document.resolver.ts'
import { conversationResource } from './conversation/conversation.resolver.ts'
import { proposalResource } from './proposal/proposal.resolver.ts'

export const assistant: SubgraphDefinition = {
  name: 'assistant',
  ports: ['vault', 'languageModel', 'graph', 'tenants', 'files'],
  resources: [
    aiTriggerResource,
    aiExecutionResource,
    conversationResource,
    proposalResource,
    documentResource,
    ...accountBriefResources,
    ...assistantAggregates,
  ],
}
