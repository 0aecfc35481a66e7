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
