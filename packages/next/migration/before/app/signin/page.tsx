'use client'

import { signIn } from 'next-auth/react'

function continueWithGitHub() {
  const callbackUrl = new URLSearchParams(location.search).get('callbackUrl') ?? '/'
  void signIn('github', { callbackUrl })
}

export default function Page() {
  return <button onClick={continueWithGitHub}>Continue with GitHub</button>
}
