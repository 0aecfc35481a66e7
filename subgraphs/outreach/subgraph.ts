import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { emailTemplateResource } from './email-template/email-template.resolver.ts'

export const outreach: SubgraphDefinition = {
  name: 'outreach',
  ports: ['work'],
  resources: [emailTemplateResource],
}
