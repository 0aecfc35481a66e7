import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

const layout = () => ({
  name: `${freshPrefix()}layout`,
  config: { sections: [{ label: 'Details', items: [{ field: 'name' }, { slot: 'app/maps:place' }] }] },
})

const rest = () => ({
  config: { sections: [{ label: 'All', columns: 3, isCollapsed: true, items: [{ field: 'name', isRequired: true }] }] },
  tags: ['layouts'],
})

/** The name of a profile that has no layout yet. Layouts name profiles, so those of earlier ones are removed: an organization has few. */
async function aProfile({ platform, member: { organizationId } }: Sender): Promise<string> {
  const name = `Profile with a layout ${newId()}`
  await platform.query(
    `insert into identity.profile (organization_id, id, name, created_at, updated_at) values ($1, $2, $3, now(), now())`,
    [organizationId, newId(), name],
  )
  await platform.query(
    `delete from identity.profile where id in (
       select id from identity.profile where organization_id = $1 and name like 'Profile with a layout %' order by id desc offset 10)`,
    [organizationId],
  )
  return name
}

export const layoutBodies = {
  // A record type has one layout for each profile.
  layoutCreate: async (requests: Sender, whole: boolean) => ({
    objectType: 'ACCOUNT',
    profile: await aProfile(requests),
    ...layout(),
    ...(whole && rest()),
  }),
  layoutUpdate: async (_requests: Sender, whole: boolean) => (whole ? { ...layout(), ...rest() } : {}),
}
