// Imports the records of a file as an integrator does: in batches that are created as a whole, each under an Idempotency-Key of its own. It can be
// started again at any time, and tries again while the server does not answer. Prints each batch when it is created.
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const { CRM_URL: url, CRM_KEY: key } = process.env
const perBatch = 20
const atOnce = 4
const { accounts, contacts, deals } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const idOf = new Map()

async function send(query, variables, idempotencyKey) {
  for (;;) {
    try {
      const response = await fetch(`${url}/v1/graphql`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
        body: JSON.stringify({ query, variables }),
      })
      const { data, errors } = await response.json()
      if (!errors) return data
      const codes = errors.map(({ extensions }) => extensions.code)
      if (!codes.every((code) => ['UNAVAILABLE', 'IDEMPOTENCY_IN_PROGRESS'].includes(code)))
        throw new Refused(JSON.stringify(errors))
    } catch (error) {
      if (error instanceof Refused) throw error
    }
    await setTimeout(100)
  }
}

class Refused extends Error {}

async function createAll(mutation, type, records) {
  const numbers = Array.from({ length: Math.ceil(records.length / perBatch) }, (_, number) => number)
  const sender = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const batch = records.slice(number * perBatch, (number + 1) * perBatch)
      const names = batch.map((_, index) => `r${index}`)
      const query = `mutation(${names.map((name) => `$${name}: ${type}!`).join()}) @atomic {
        ${names.map((name) => `${name}: ${mutation}(input: $${name}) { id externalId }`).join('\n')} }`
      const variables = Object.fromEntries(names.map((name, index) => [name, batch[index]]))
      const data = await send(query, variables, `import-${mutation}-${number}`)
      for (const { id, externalId } of Object.values(data)) idOf.set(externalId, id)
      process.stdout.write(`${mutation} ${number}\n`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
}

const ofAccount = ({ account, ...record }) => ({ ...record, accountId: idOf.get(account) })
await createAll('accountCreate', 'AccountCreateInput', accounts)
await createAll('contactCreate', 'ContactCreateInput', contacts.map(ofAccount))
await createAll('opportunityCreate', 'OpportunityCreateInput', deals.map(ofAccount))
