/** Sources of the functions of the demo, as their authors have written them. */

export const casePriority = String.raw`const standstill = /\b(down|outage|standstill|stopped|cannot (?:ship|print|scan))\b/i

export default ({ records }) => ({
  results: records.map(({ next }) => {
    const isUrgent = standstill.test(next.subject + ' ' + (next.description ?? ''))
    console.log(next.subject, isUrgent ? 'is a standstill' : 'can wait')
    const isRaised = isUrgent && ['LOW', 'MEDIUM'].includes(next.priority)
    return { decision: 'ALLOW', changes: isRaised ? { priority: 'HIGH' } : {} }
  }),
})
`

export const planHandover = `const mutation = 'mutation ($input: TaskCreateInput!) { taskCreate(input: $input) { id } }'

export default async ({ record }, { api }) => {
  const input = {
    subject: 'Hand over ' + record.name,
    priority: 'HIGH',
    ownerId: record.ownerId,
    relatedToType: 'OPPORTUNITY',
    relatedToId: record.id,
  }
  const { data, errors } = await api.graphql(mutation, { input })
  if (errors) throw new Error(errors[0].message)
  return { taskId: data.taskCreate.id }
}
`

export const estimateDelivery = `const days = { near: 2, far: 6 }
const near = ['DE', 'NL', 'BE', 'DK', 'NO', 'SE']

export default ({ input: { country, weightKg } }) => {
  const zone = near.includes(country) ? 'near' : 'far'
  return { days: days[zone] + Math.ceil(weightKg / 500), zone }
}
`

export const planVisit = `const mutation = 'mutation ($input: TaskCreateInput!) { taskCreate(input: $input) { id } }'

export default async ({ recordId, input: { reason } }, { api }) => {
  const task = { subject: 'Visit: ' + reason, type: 'MEETING', relatedToType: 'ACCOUNT', relatedToId: recordId }
  const { data, errors } = await api.graphql(mutation, { input: task })
  if (errors) throw new Error(errors[0].message)
  return { taskId: data.taskCreate.id }
}
`
