import type { Sender } from './sender.ts'

const entity = {
  id: 'account-7',
  type: 'ACCOUNT',
  name: 'Halvorsen Marine AS',
  properties: { openAmount: 48_000 },
  relationships: [{ targetId: 'contact-3', type: 'CHAMPION_ON', strength: 1 }],
  activities: [
    {
      type: 'MEETING',
      timestamp: '2027-01-20T09:30:00.000Z',
      outcome: 'COMPLETED',
      sentiment: 'POSITIVE',
      direction: 'INBOUND',
      isAutomated: false,
    },
  ],
}

// The shares of the rank must add up to 1, so they cannot be made up one by one.
const config = {
  halfLifeDays: 30,
  weights: [{ type: 'NOTE', weight: 1 }],
  edges: [{ type: 'PARENT_OF', weight: 1 }],
  rank: { network: 0.3, engagement: 0.45, momentum: 0.25 },
  k: 25,
  windowDays: 14,
}

const entities = [entity]
const ranked = async (_requests: Sender, whole: boolean) =>
  whole ? { entities, limit: 10, config } : { entities: [{ id: 'account-7', type: 'ACCOUNT' }] }
const trend = async (requests: Sender, whole: boolean) => ({
  ...(await ranked(requests, whole)),
  ...(whole && { significantOnly: false }),
})

export const engagementBodies = {
  engagementRank: ranked,
  engagementRankBatch: async (requests: Sender, whole: boolean) => ({ batches: [await ranked(requests, whole)] }),
  engagementAtRisk: trend,
  engagementMomentum: trend,
  engagementInsights: async (_requests: Sender, whole: boolean) =>
    whole ? { entities, config } : { entities: [{ id: 'account-7', type: 'ACCOUNT' }] },
  engagementNextSteps: async (_requests: Sender, whole: boolean) =>
    whole ? { entity, config } : { entity: { id: 'account-7', type: 'ACCOUNT' } },
}
