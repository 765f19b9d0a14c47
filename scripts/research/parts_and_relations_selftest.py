"""parts_and_relations: leave-one-out against learning again, order of columns, batch, duplicates, p-values."""
import numpy as np, sys
import parts_and_relations as M
rng=np.random.default_rng(0)
A=rng.normal(size=(60,6)); A[:,1]=np.round(A[:,1]); A[:,2]=A[:,0]+.1*A[:,2]; A[:,3]=A[:,3]>1; 
X=rng.normal(size=(30,6)); X[:,3]=X[:,3]>0
m=M.fit(A); s,p=M.score(m,X)
assert np.isfinite(s).all() and (s>=0).all()
q=rng.permutation(6)
names=[f'c{k}' for k in range(6)]
a=M.score(M.fit(A,names=names),X)[0]; b=M.score(M.fit(A[:,q],names=[names[k] for k in q]),X[:,q])[0]
print('order of columns',np.abs(a-b).max()); assert np.allclose(a,b)
one=np.array([M.score(m,x[None])[0][0] for x in X]); print('batch',np.abs(one-s).max())
# a row equal to a training row has its own score
assert np.allclose(M.score(m,A[:5])[0],m['own'][:5])
# leave-one-out: learn again without row i (same kept rows, same s_u, unit; parts as given)
u=M.score(M.fit(A,contamination=0),A)[0]
m0=M.fit(A,contamination=0); err=[]
for i in range(0,60,7):
    B=np.delete(A,i,0); c=M.learn_columns(B,None); sc=M.scales(c); t=M.normal_scores(59); co,far=M.coordinates(c,sc,B,t); x,fx=M.coordinates(c,sc,A[i:i+1],t)
    L=M.LeftOut(m0['columns'])
    for v in range(3):
        J=np.array([[j for j in range(60) if j!=i]]*60)
        full=L.distances(J,v,np.arange(6))[i]; ref=M.cdist(x[v],co[v],M.METRICS[v])[0]
        err.append(np.abs(full-ref).max())
print('left-out distances',max(err))
# relations: Sherman-Morrison against refitting with the same normal scores of the others
rel=m0['relations']['rel']; far=M.coordinates(m0['columns'],m0['scales'],A,m0['table'])[1]; L=M.LeftOut(m0['columns'])
r0,d0=M.learn_relations(far,np.arange(60),rel['use']); own=M.left_out_residuals(r0,d0,L.z,np.arange(60)); e=[]
for i in range(60):
    k=np.delete(np.arange(60),i); r1,_=M.learn_relations(far,k,rel['use']); z=np.array(L.z[i:i+1]); e.append(np.abs(M.residuals(r1,z)[:,0]-own[:,i]).max())
print('left-out relations',max(e))
rej=[]
for n,d,rep in ((40,5,30),(100,8,15),(60,100,6),(200,4,8)):
    r=[]
    for k in range(rep):
        g=np.random.default_rng(k); Z=g.normal(size=(n+100,d)); Z[:,0]=np.exp(Z[:,0]); Z[:,1]+=Z[:,0]; mm=M.fit(Z[:n]); r.append((M.score(mm,Z[n:])[1]<=.05).mean())
    print('rejected at 5 %',(n,d),round(np.mean(r),4),'possible',np.floor(.05*(n+1))/(n+1),flush=True)
