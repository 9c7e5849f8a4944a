import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { style } from '../src/style.ts'
import { SessionProvider } from './auth-client.ts'
import { Profile } from './profile.tsx'

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <style>{style}</style>
      <SessionProvider>
        <Profile />
      </SessionProvider>
    </StrictMode>,
  )
}
