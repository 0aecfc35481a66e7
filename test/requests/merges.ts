import { account, contact, lead } from '../builders.ts'
import type { Member } from '../platform.ts'
import type { Sender } from './sender.ts'

type Create = (member: Member) => Promise<{ id: string }>

/** Another record of the custom object whose record was created last. */
const customRecord =
  ({ platform }: Sender): Create =>
  async (member) => {
    const [newest] = await platform.query<{ name: string }>(
      'select object as name from extensions.custom_record where organization_id = $1 order by created_at desc, id desc limit 1',
      [member.organizationId],
    )
    const { status, body } = await member.rest['customRecordCreate']!({ name: newest!.name, body: {} } as never)
    if (status !== 201) throw new Error(`customRecordCreate: ${JSON.stringify(body)}`)
    return body as { id: string }
  }

async function bodyOf({ member }: Sender, create: Create, whole: boolean): Promise<object> {
  const { id } = await create(member)
  return { ids: [id], ...(whole && { fields: { externalId: id }, expectedVersions: { [id]: 1 }, dryRun: false }) }
}

export const mergeBodies = {
  accountMerge: (requests: Sender, whole: boolean) => bodyOf(requests, account, whole),
  contactMerge: (requests: Sender, whole: boolean) => bodyOf(requests, contact, whole),
  leadMerge: (requests: Sender, whole: boolean) => bodyOf(requests, lead, whole),
  customRecordMerge: (requests: Sender, whole: boolean) => bodyOf(requests, customRecord(requests), whole),
}

/** The records of a merge are gone, and its fields and versions are of these records. */
export const merges = Object.keys(mergeBodies)
