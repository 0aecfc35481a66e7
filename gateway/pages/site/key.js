const storageName = 'crm.apiKey'

/** Checks a key with the smallest operation. */
async function check(key) {
  try {
    const response = await fetch('/v1/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
      body: JSON.stringify({ query: '{ __typename }' }),
    })
    if (response.ok) return { state: 'accepted', text: 'Key accepted' }
    const answer = await response.json()
    return {
      state: 'refused',
      text: answer.errors?.[0]?.message ?? answer.detail ?? `Refused with ${response.status}`,
    }
  } catch {
    return { state: 'refused', text: 'The server does not answer.' }
  }
}

/**
 * Connects the input of the bar. Calls `onKey(key, state)` immediately and for every new key; `state` is missing, accepted or
 * refused. The key is stored in `sessionStorage`, which the browser deletes with the tab.
 */
export async function keyField(onKey) {
  const form = document.querySelector('form.key')
  const input = form.querySelector('input')
  const output = form.querySelector('output')
  let latest = null

  async function checkInput() {
    const key = input.value.trim()
    if (key === latest) return
    latest = key
    if (key) sessionStorage.setItem(storageName, key)
    else sessionStorage.removeItem(storageName)
    const { state, text } = key ? await check(key) : { state: 'missing', text: '' }
    // The input has changed during the check, so this result belongs to an earlier key.
    if (key !== latest) return
    form.dataset.state = state
    output.value = text
    output.title = text
    onKey(key, state)
  }

  input.value = sessionStorage.getItem(storageName) ?? ''
  // A pasted key is complete immediately; a typed key is complete when the field loses focus or Enter is pressed.
  input.addEventListener('paste', () => setTimeout(checkInput))
  input.addEventListener('change', checkInput)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    checkInput()
  })
  if (!input.value) input.focus()
  await checkInput()
}
